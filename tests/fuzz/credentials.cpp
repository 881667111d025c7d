// Connect tokens, resume tickets and rings of keys: sealed, and as text.

#include "net/connect_token.h"
#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/virtual_time.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace tickbox;

namespace {

/// Seals the secret into `credential`, under the label of its kind and its first `head` bytes.
void seal_into(MutableBytes credential, std::size_t head, std::string_view label,
               ConstBytes secret) {
  const ConstBytes name = as_bytes_of(label);
  const ConstBytes public_part = credential.first(head);
  std::vector<std::byte> clear{name.begin(), name.end()};
  clear.insert(clear.end(), public_part.begin(), public_part.end());
  net::seal_drawn(net::published_key(), net::LongNonce{}, clear, secret,
                  credential.subspan(head + net::kLongNonceBytes));
}

// Before the secret of a token: when it is issued, and when it expires.
constexpr std::size_t kTimesBytes = 16;
// The offsets in the secret of a token: of the number of servers, and of the number of user
// bytes.
constexpr std::size_t kServersAt = 76;
constexpr std::size_t kUserBytesAt = 77;

// Returns a token of version 1 and key id 0, with its times and its sealed secret from the input.
net::SealedToken sealed_token(ConstBytes input) {
  net::SealedToken token{std::byte{1}};
  const std::size_t times = std::min(input.size(), kTimesBytes);
  std::copy_n(input.begin(), times, token.begin() + 5);
  seal_into(token, net::kTokenHeadBytes, "tickbox connect token",
            fuzz::padded<net::kTokenSecretBytes>(input.subspan(times)));
  return token;
}

std::size_t number_at(ConstBytes input, std::size_t at) {
  return kTimesBytes + at < input.size() ? std::to_integer<std::size_t>(input[kTimesBytes + at])
                                         : 0;
}

// A secret sealed as an issuer seals a token, whatever it says; and the bytes as a sealed token.
TICKBOX_FUZZ_TARGET(open_token)(ConstBytes input) {
  static const net::KeyRing kRing = net::KeyRing::published();
  if (input.size() >= net::kSealedTokenBytes) {
    (void)net::open_token(input.first(net::kSealedTokenBytes), kRing);
  }

  const auto opened = net::open_token(sealed_token(input), kRing);
  const std::size_t servers = number_at(input, kServersAt);
  const std::size_t user_bytes = number_at(input, kUserBytesAt);
  const bool is_possible =
      servers >= 1 && servers <= net::kTokenServersMax && user_bytes <= net::kTokenUserBytesMax;
  fuzz::check(opened.has_value() == is_possible);
  if (!opened) {
    fuzz::check(opened.error() == net::TokenFault::Forged);
    return;
  }
  fuzz::check(opened->head.issued.time_since_epoch().count() >= 0);
  fuzz::check(opened->head.expires.time_since_epoch().count() >= 0);
  fuzz::check(opened->claims.servers.size() == servers && opened->claims.user.size() == user_bytes);
}

// Returns a ticket of version 1, boot id 0 and nonce 0, with its sealed secret from the input.
net::SealedTicket sealed_ticket(ConstBytes input) {
  net::SealedTicket ticket{std::byte{1}};
  seal_into(ticket, net::kTicketHeadBytes, "tickbox resume ticket",
            fuzz::padded<net::kTicketSecretBytes>(input));
  return ticket;
}

// A secret sealed as a server seals its tickets, whatever it says; and the bytes as a sealed
// ticket.
TICKBOX_FUZZ_TARGET(open_ticket)(ConstBytes input) {
  if (input.size() >= net::kSealedTicketBytes) {
    const ConstBytes raw = input.first(net::kSealedTicketBytes);
    fuzz::check(net::ticket_boot(raw) == load_le<std::uint64_t>(raw.subspan(1)));
    (void)net::open_ticket(raw, net::published_key());
  }

  const auto opened = net::open_ticket(sealed_ticket(input), net::published_key());
  fuzz::check(opened.has_value());
  tests::SeededEntropy entropy{input.size()};
  const auto again = net::seal_ticket(*opened, 0, net::published_key(), entropy);
  fuzz::check(net::open_ticket(again, net::published_key()) == *opened);
}

constexpr std::size_t kTokenTextBytes = 620;

void read_token(std::string_view text) {
  const auto token = net::parse_token(text);
  if (!fuzz::is_read(token)) return;
  fuzz::check(!token->servers.empty());
  const auto again = net::parse_token(net::to_text(*token));
  fuzz::check(again && again->sealed == token->sealed && again->keys == token->keys &&
              std::ranges::equal(again->servers, token->servers));
}

// A connect token as text, from a file or a command line: the bytes as they are, and in base64
// behind what a token begins with.
TICKBOX_FUZZ_TARGET(parse_token)(ConstBytes input) {
  read_token(fuzz::text_of(input));
  read_token("tickbox-token-1." + net::to_base64(fuzz::padded<kTokenTextBytes>(input)));
}

constexpr std::size_t kTicketTextBytes = 199;

bool reads_ticket(std::string_view text) {
  const auto ticket = net::parse_ticket(text);
  if (!fuzz::is_read(ticket)) return false;
  const std::string again = net::to_text(*ticket);
  fuzz::check(text.contains(again));  // but for blanks around it
  return true;
}

// A resume ticket as text, from a file: the bytes as they are, and in base64 behind what a ticket
// begins with.
TICKBOX_FUZZ_TARGET(parse_ticket)(ConstBytes input) {
  (void)reads_ticket(fuzz::text_of(input));
  const auto bytes = fuzz::padded<kTicketTextBytes>(input);
  fuzz::check(reads_ticket("tickbox-ticket-1." + net::to_base64(bytes)));
}

// A file of keys, as its owner may have edited it.
TICKBOX_FUZZ_TARGET(parse_key_ring)(ConstBytes input) {
  const auto ring = net::KeyRing::parse(fuzz::text_of(input));
  if (!fuzz::is_read(ring)) return;
  fuzz::check(!ring->keys().empty() && ring->keys().size() <= net::kRingKeysMax);
  std::set<std::uint32_t> ids;
  for (const net::RingKey& key : ring->keys()) {
    fuzz::check(key.id != net::kPublishedKeyId && ids.insert(key.id).second);
    fuzz::check(ring->find(key.id) != nullptr && *ring->find(key.id) == key.key);
  }
  const auto again = net::KeyRing::parse(ring->text());
  fuzz::check(again && again->text() == ring->text());
}

}  // namespace
