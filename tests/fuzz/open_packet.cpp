// Datagrams at an open session, each after its length in two bytes. A datagram that opens must be
// new, and opens once. If the highest bit of the length is set, the peer seals the bytes that
// follow, so that windows and epochs really move. If the second highest bit is set too, one bit of
// the sealed datagram is flipped; it must not open.

#include "net/packet.h"
#include "tests/fuzz/best_cipher.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>

using namespace tickbox;

namespace {

constexpr std::uint16_t kSealed = 0x8000;
constexpr std::uint16_t kFlipped = 0x4000;
constexpr std::uint16_t kLengthMask = 0x7ff;

bool deliver(net::PacketChannel& channel, ConstBytes datagram) {
  net::PacketBuffer out{};
  const std::uint64_t arrived = channel.received().count();
  const std::uint64_t newest = channel.received().newest();
  const auto opened = channel.open_packet(datagram, out);
  fuzz::check(channel.received().count() == arrived + (opened ? 1 : 0));
  fuzz::check(channel.received().newest() ==
              (opened ? std::max(newest, opened->sequence) : newest));
  if (!opened) return false;
  fuzz::check(opened->message.size() + net::kPacketOverheadBytes == datagram.size());
  const auto again = channel.open_packet(datagram, out);
  fuzz::check(!again && again.error() == net::DropReason::Replayed);
  return true;
}

// The first byte says which type, among those that travel this way, and which bit is flipped.
void exchange(net::PacketChannel& sender, net::PacketChannel& receiver, net::Direction direction,
              ConstBytes message, bool flipped) {
  constexpr net::PacketType kTypes[] = {net::PacketType::Input,       net::PacketType::Snapshot,
                                        net::PacketType::Disconnect,  net::PacketType::Challenge,
                                        net::PacketType::Response,    net::PacketType::DesyncReport,
                                        net::PacketType::DesyncState, net::PacketType::Drain};
  const auto choice = message.empty() ? 0U : std::to_integer<unsigned>(message[0]);
  const net::PacketType wished = kTypes[choice % std::size(kTypes)];
  const auto type = net::travels_sealed(wished, direction) ? wished : net::PacketType::Disconnect;
  net::PacketBuffer buffer{};
  const std::size_t size =
      sender
          .seal_packet(type, message.first(std::min(message.size(), net::kMessageBytesMax)), buffer)
          .size();
  const MutableBytes datagram = MutableBytes{buffer}.first(size);
  if (flipped) {
    datagram[std::size_t{choice} * 31 % size] ^= static_cast<std::byte>(1U << (choice % 8));
    fuzz::check(!deliver(receiver, datagram));
  } else {
    // A packet of the corpus may have had this sequence already.
    const bool is_new = receiver.received().accepts(sender.sent());
    fuzz::check(deliver(receiver, datagram) == is_new);
  }
}

void open_all(ConstBytes input, net::Cipher cipher) {
  static const net::KeyPair kKeys = net::derive_session_keys(
      {.to_server = net::published_key(), .to_client = net::published_key()}, {}, {},
      net::published_key());
  net::PacketChannel server{kKeys, 7, net::Direction::ToClient, cipher};
  net::PacketChannel client{kKeys, 7, net::Direction::ToServer, cipher};
  ConstBytes rest = input;
  while (rest.size() >= 2) {
    const auto head = load_le<std::uint16_t>(rest);
    const std::size_t length = std::min<std::size_t>(head & kLengthMask, rest.size() - 2);
    const ConstBytes datagram = rest.subspan(2, length);
    if ((head & kSealed) != 0) {
      const bool flipped = (head & kFlipped) != 0;
      exchange(client, server, net::Direction::ToServer, datagram, flipped);
      exchange(server, client, net::Direction::ToClient, datagram, flipped);
    } else {
      (void)deliver(server, datagram);
      (void)deliver(client, datagram);
    }
    rest = rest.subspan(2 + length);
  }
}

}  // namespace

TICKBOX_FUZZ_TARGET(open_packet)(ConstBytes input) {
  open_all(input, net::Cipher::ChaCha20Poly1305);
  open_all(input, fuzz::best_cipher());
}
