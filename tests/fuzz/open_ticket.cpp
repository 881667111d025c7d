// A secret sealed as a server seals its tickets, whatever it says; and the bytes as a sealed
// ticket.

#include "net/resume_ticket.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/virtual_time.h"

#include <algorithm>
#include <string_view>

using namespace tickbox;

namespace {

constexpr std::string_view kLabel = "tickbox resume ticket";

// Version 1, boot id 0, nonce 0; then the secret, sealed.
net::SealedTicket sealed(ConstBytes input) {
  net::SealedTicket ticket{std::byte{1}};
  std::array<std::byte, net::kTicketSecretBytes> secret{};
  std::copy_n(input.begin(), std::min(input.size(), secret.size()), secret.begin());
  std::array<std::byte, kLabel.size() + net::kTicketHeadBytes> clear{};
  const auto end = std::ranges::copy(as_bytes_of(kLabel), clear.begin()).out;
  std::copy_n(ticket.begin(), net::kTicketHeadBytes, end);
  net::seal_drawn(net::published_key(), net::LongNonce{}, clear, secret,
                  MutableBytes{ticket}.subspan(net::kTicketHeadBytes + net::kLongNonceBytes));
  return ticket;
}

}  // namespace

TICKBOX_FUZZ_TARGET(open_ticket)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  if (input.size() >= net::kSealedTicketBytes) {
    const ConstBytes raw = input.first(net::kSealedTicketBytes);
    fuzz::check(net::ticket_boot(raw) == load_le<std::uint64_t>(raw.subspan(1)));
    (void)net::open_ticket(raw, net::published_key());
  }

  const auto opened = net::open_ticket(sealed(input), net::published_key());
  fuzz::check(opened.has_value());
  tests::SeededEntropy entropy{size};
  const auto again = net::seal_ticket(*opened, 0, net::published_key(), entropy);
  fuzz::check(net::open_ticket(again, net::published_key()) == *opened);
  return 0;
}
