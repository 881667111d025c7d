// What a stranger sends first: the bytes as a whole datagram, and with zeros up to the length that
// is asked for.

#include "net/handshake.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

namespace {

// A datagram that begins as `ask` does; all three kinds begin alike.
ConstBytes encode(const net::Ask& ask, net::PacketBuffer& out) {
  if (ask.type == net::PacketType::Hello) return net::encode_hello(ask, out);
  if (ask.type == net::PacketType::Resume) return net::encode_resume(ask, {}, out);
  return net::encode_connect(ask, {}, {}, out);
}

void read(ConstBytes datagram) {
  const auto ask = net::decode_ask(datagram);
  if (!ask) {
    fuzz::check(ask.error() == net::DropReason::TooShort ||
                ask.error() == net::DropReason::TooLong ||
                ask.error() == net::DropReason::UnknownType);
    return;
  }
  net::PacketBuffer out{};
  const ConstBytes again = encode(*ask, out);
  fuzz::check(again.size() == datagram.size() && net::decode_ask(again) == *ask);
  if (ask->type == net::PacketType::Connect) {
    fuzz::check(std::ranges::equal(net::cookie_of(datagram), datagram.subspan(45, 12)));
    fuzz::check(std::ranges::equal(net::sealed_token_of(datagram), datagram.subspan(57, 411)));
  }
  if (ask->type == net::PacketType::Resume) {
    fuzz::check(std::ranges::equal(net::sealed_ticket_of(datagram), datagram.subspan(45, 135)));
  }
  if (net::is_proven(datagram, net::published_key())) {
    net::PacketBuffer altered{};
    std::ranges::copy(datagram, altered.begin());
    altered[altered.size() / 2] ^= std::byte{1};
    fuzz::check(!net::is_proven(altered, net::published_key()));
  }
}

}  // namespace

TICKBOX_FUZZ_TARGET(decode_ask)(const std::uint8_t* data, std::size_t size) {
  const ConstBytes input = fuzz::bytes_of(data, size);
  read(input);
  net::PacketBuffer padded{};
  std::copy_n(input.begin(), std::min(input.size(), padded.size()), padded.begin());
  read(padded);
  return 0;
}
