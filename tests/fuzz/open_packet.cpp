// Datagrams at an open session, each after its length in two bytes: what opens must be new, and
// opens once.

#include "net/packet.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

namespace {

void deliver(net::PacketChannel& channel, ConstBytes datagram) {
  net::PacketBuffer out{};
  const std::uint64_t arrived = channel.received().count();
  const auto opened = channel.open_packet(datagram, out);
  fuzz::check(channel.received().count() == arrived + (opened ? 1 : 0));
  if (!opened) return;
  fuzz::check(opened->message.size() + net::kPacketOverheadBytes == datagram.size());
  const auto again = channel.open_packet(datagram, out);
  fuzz::check(!again && again.error() == net::DropReason::Replayed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto keys = net::derive_session_keys(net::published_key(), {}, {});
  net::PacketChannel server{keys, 7, net::Direction::ToClient};
  net::PacketChannel client{keys, 7, net::Direction::ToServer};
  ConstBytes rest = fuzz::bytes_of(data, size);
  while (rest.size() >= 2) {
    const std::size_t length =
        std::min<std::size_t>(load_le<std::uint16_t>(rest) & 0x7ff, rest.size() - 2);
    deliver(server, rest.subspan(2, length));
    deliver(client, rest.subspan(2, length));
    rest = rest.subspan(2 + length);
  }
  return 0;
}
