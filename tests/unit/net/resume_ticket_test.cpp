#include "net/resume_ticket.h"

#include "tests/unit/protocol/samples.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::net {
namespace {

SealedTicket sealed() {
  return samples::resume_ticket().sealed;
}

TEST(ResumeTicket, TellsItsServerEverythingThatWasSealed) {
  EXPECT_EQ(open_ticket(sealed(), samples::ticket_key()), samples::ticket());
  EXPECT_EQ(ticket_boot(sealed()), samples::kBoot);
}

TEST(ResumeTicket, CarriesTheLargestOfEverything) {
  Key ones{};
  ones.fill(std::byte{0xff});
  const Ticket largest{.seat = {0xffff},
                       .body = {0xffff'ffff},
                       .serial = 0xffff'ffff,
                       .room = 0xffff'ffff,
                       .client = ~std::uint64_t{0},
                       .keys = {.to_server = ones, .to_client = ones}};
  tests::SeededEntropy entropy{1};
  const auto ticket = seal_ticket(largest, ~std::uint64_t{0}, samples::ticket_key(), entropy);
  EXPECT_EQ(open_ticket(ticket, samples::ticket_key()), largest);
  EXPECT_EQ(ticket_boot(ticket), ~std::uint64_t{0});
}

TEST(ResumeTicket, OfAnotherServerDoesNotOpen) {
  Key other = samples::ticket_key();
  other[31] ^= std::byte{1};
  EXPECT_FALSE(open_ticket(sealed(), other));
  EXPECT_FALSE(open_ticket(sealed(), published_key()));
}

TEST(ResumeTicket, IsSealedAnotherWayEachTime) {
  tests::SeededEntropy entropy{1};
  std::set<SealedTicket> tickets;
  for (int i = 0; i < 100; ++i)
    tickets.insert(seal_ticket(samples::ticket(), samples::kBoot, samples::ticket_key(), entropy));
  EXPECT_EQ(tickets.size(), 100U);
}

TEST(ResumeTicket, NeverOpensWithABitFlipped) {
  samples::with_each_bit_flipped(sealed(), [](const SealedTicket& altered, std::size_t bit) {
    ASSERT_FALSE(open_ticket(altered, samples::ticket_key())) << "bit " << bit;
  });
}

TEST(ResumeTicket, NeverOpensWhenMadeUp) {
  constexpr int kForgeries = 400'000;
  Rng rng{2};
  int opened = 0;
  for (int i = 0; i < kForgeries; ++i) {
    SealedTicket forged = sealed();
    for (std::size_t at = kTicketHeadBytes; at + 8 < forged.size(); at += 8)
      store_le(MutableBytes{forged}.subspan(at), rng.next());
    opened += open_ticket(forged, samples::ticket_key()) ? 1 : 0;
  }
  EXPECT_EQ(opened, 0);
}

// The same key, bytes of the same length: only the label says what they were sealed for.
TEST(ResumeTicket, IsNothingThatWasSealedForAnotherUse) {
  for (const std::string_view label : {"tickbox resume ticket", "tickbox connect token", ""}) {
    SealedTicket ticket{std::byte{1}};
    std::vector<std::byte> clear = samples::copy_of(as_bytes_of(label));
    clear.insert(clear.end(), ticket.begin(), ticket.begin() + kTicketHeadBytes);
    const std::array<std::byte, kTicketSecretBytes> secret{};
    seal_drawn(samples::ticket_key(), LongNonce{}, clear, secret,
               MutableBytes{ticket}.subspan(kTicketHeadBytes + kLongNonceBytes));
    EXPECT_EQ(open_ticket(ticket, samples::ticket_key()).has_value(),
              label == "tickbox resume ticket");
  }
}

}  // namespace
}  // namespace tickbox::net
