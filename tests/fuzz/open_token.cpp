// A secret sealed as an issuer seals a token, whatever it says; and the bytes as a sealed token.

#include "net/connect_token.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <string_view>

using namespace tickbox;

namespace {

constexpr std::string_view kLabel = "tickbox connect token";
constexpr std::size_t kSecretAt = net::kTokenHeadBytes + net::kLongNonceBytes;
// Of the secret: where it says its rights and counts its servers, and its user bytes.
constexpr std::size_t kServersAt = 76;
constexpr std::size_t kUserBytesAt = 77;

// Version 1, key id, issued and expires by the input; then its secret, sealed.
net::SealedToken sealed(ConstBytes input) {
  constexpr std::size_t kTimesBytes = 16;
  net::SealedToken token{std::byte{1}};
  const std::size_t times = std::min(input.size(), kTimesBytes);
  std::copy_n(input.begin(), times, token.begin() + 5);
  std::array<std::byte, net::kTokenSecretBytes> secret{};
  const ConstBytes rest = input.subspan(times);
  std::copy_n(rest.begin(), std::min(rest.size(), secret.size()), secret.begin());
  std::array<std::byte, kLabel.size() + net::kTokenHeadBytes> clear{};
  const auto end = std::ranges::copy(as_bytes_of(kLabel), clear.begin()).out;
  std::copy_n(token.begin(), net::kTokenHeadBytes, end);
  net::seal_drawn(net::published_key(), net::LongNonce{}, clear, secret,
                  MutableBytes{token}.subspan(kSecretAt));
  return token;
}

std::size_t number_at(ConstBytes input, std::size_t at) {
  constexpr std::size_t kTimesBytes = 16;
  return kTimesBytes + at < input.size() ? std::to_integer<std::size_t>(input[kTimesBytes + at])
                                         : 0;
}

}  // namespace

TICKBOX_FUZZ_TARGET(open_token)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  static const net::KeyRing kRing = net::KeyRing::published();
  if (input.size() >= net::kSealedTokenBytes) {
    (void)net::open_token(input.first(net::kSealedTokenBytes), kRing);
  }

  const auto opened = net::open_token(sealed(input), kRing);
  const std::size_t servers = number_at(input, kServersAt) & 0x0f;
  const std::size_t rights = number_at(input, kServersAt) >> 4;
  const std::size_t user_bytes = number_at(input, kUserBytesAt);
  const bool is_possible = servers >= 1 && servers <= net::kTokenServersMax &&
                           user_bytes <= net::kTokenUserBytesMax && rights <= net::kRightToAudit;
  fuzz::check(opened.has_value() == is_possible);
  if (!opened) {
    fuzz::check(opened.error() == net::TokenFault::Forged);
    return 0;
  }
  fuzz::check(opened->head.issued.time_since_epoch().count() >= 0);
  fuzz::check(opened->head.expires.time_since_epoch().count() >= 0);
  fuzz::check(opened->claims.rights == rights);
  fuzz::check(opened->claims.servers.size() == servers && opened->claims.user.size() == user_bytes);
  return 0;
}
