// The answer to a HELLO: the bytes as a whole datagram, and behind the right type, at the right
// length.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

namespace {

bool reads(ConstBytes datagram) {
  const auto answer = net::decode_cookie(datagram);
  if (!answer) {
    fuzz::check(answer.error() == net::DropReason::TooShort ||
                answer.error() == net::DropReason::TooLong ||
                answer.error() == net::DropReason::UnknownType);
    return false;
  }
  net::PacketBuffer out{};
  fuzz::check(
      std::ranges::equal(net::encode_cookie(answer->client_nonce, answer->cookie, out), datagram));
  return true;
}

}  // namespace

TICKBOX_FUZZ_TARGET(decode_cookie)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  (void)reads(input);
  std::array<std::byte, net::kCookieDatagramBytes> datagram{};
  datagram[0] = static_cast<std::byte>(net::PacketType::Cookie);
  std::copy_n(input.begin(), std::min(input.size(), datagram.size() - 1), datagram.begin() + 1);
  fuzz::check(reads(datagram));
  return 0;
}
