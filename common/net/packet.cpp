#include "net/packet.h"

#include <limits>

namespace tickbox::net {
namespace {

constexpr std::size_t kConnectionAt = 1;
constexpr std::size_t kSequenceAt = 5;
constexpr std::uint64_t kCycle = 0x10000;  // of the part of a sequence that is sent
static_assert(kSequenceAt + sizeof(std::uint16_t) == kPacketHeadBytes);

bool travels(PacketType type, Direction direction) {
  switch (type) {
    case PacketType::Input:
      return direction == Direction::ToServer;
    case PacketType::Snapshot:
      return direction == Direction::ToClient;
    case PacketType::Disconnect:
      return true;
    case PacketType::Connect:
    case PacketType::Accept:
    case PacketType::Refuse:
      return false;  // not sealed as packets are
  }
  return false;
}

Direction opposite(Direction direction) {
  return direction == Direction::ToServer ? Direction::ToClient : Direction::ToServer;
}

const Key& key_of(const SessionKeys& keys, Direction direction) {
  return direction == Direction::ToServer ? keys.client_to_server : keys.server_to_client;
}

}  // namespace

std::optional<PacketType> packet_type(ConstBytes datagram) {
  if (datagram.empty()) return std::nullopt;
  const auto type =
      static_cast<PacketType>(datagram[0]);  // a key epoch other than 0 makes it none of these
  switch (type) {
    case PacketType::Connect:
    case PacketType::Accept:
    case PacketType::Refuse:
    case PacketType::Input:
    case PacketType::Snapshot:
    case PacketType::Disconnect:
      return type;
  }
  return std::nullopt;
}

std::uint32_t packet_connection(ConstBytes datagram) {
  TICKBOX_ASSERT(datagram.size() >= kPacketHeadBytes);
  return load_le<std::uint32_t>(datagram.subspan(kConnectionAt));
}

PacketChannel::PacketChannel(const SessionKeys& keys, std::uint32_t connection, Direction sends)
    : keys_(keys), connection_(connection), sends_(sends) {}

ConstBytes PacketChannel::seal_packet(PacketType type, ConstBytes message, PacketBuffer& out) {
  TICKBOX_ASSERT(message.size() <= kMessageBytesMax);
  TICKBOX_ASSERT(travels(type, sends_));
  TICKBOX_ASSERT(sent_ < std::numeric_limits<std::uint64_t>::max());
  ++sent_;
  const MutableBytes datagram = MutableBytes{out}.first(message.size() + kPacketOverheadBytes);
  datagram[0] = static_cast<std::byte>(type);
  store_le(datagram.subspan(kConnectionAt), connection_);
  store_le(datagram.subspan(kSequenceAt), static_cast<std::uint16_t>(sent_ & 0xffff));
  seal(key_of(keys_, sends_), sent_, datagram.first(kPacketHeadBytes), message,
       datagram.subspan(kPacketHeadBytes));
  return datagram;
}

std::expected<PacketChannel::Opened, DropReason> PacketChannel::open_packet(ConstBytes datagram,
                                                                            PacketBuffer& out) {
  if (datagram.size() < kPacketOverheadBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kDatagramBytesMax) return std::unexpected{DropReason::TooLong};
  const auto type = packet_type(datagram);
  const Direction arrives = opposite(sends_);
  if (!type || !travels(*type, arrives)) return std::unexpected{DropReason::UnknownType};
  if (packet_connection(datagram) != connection_)
    return std::unexpected{DropReason::UnknownConnection};

  const auto low = load_le<std::uint16_t>(datagram.subspan(kSequenceAt));
  const std::uint64_t sequence = expand_sequence(low, window_.newest());
  if (!window_.accepts(sequence)) return std::unexpected{DropReason::Replayed};

  const ConstBytes head = datagram.first(kPacketHeadBytes);
  const ConstBytes sealed = datagram.subspan(kPacketHeadBytes);
  if (!open(key_of(keys_, arrives), sequence, head, sealed, out))
    return std::unexpected{DropReason::Forged};
  window_.advance(sequence);
  return Opened{.type = *type,
                .sequence = sequence,
                .message = ConstBytes{out}.first(sealed.size() - kTagBytes)};
}

std::uint64_t expand_sequence(std::uint16_t low, std::uint64_t newest) {
  const std::uint64_t guess = (newest & ~(kCycle - 1)) | low;
  if (guess + kCycle / 2 < newest) return guess + kCycle;
  if (guess > newest + kCycle / 2 && guess >= kCycle) return guess - kCycle;
  return guess;
}

}  // namespace tickbox::net
