#include "net/packet.h"

#include "core/assert.h"

#include <limits>

namespace tickbox::net {
namespace {

constexpr std::size_t word_of(std::uint64_t sequence) {
  return sequence % kReplayWindow / 64;
}

constexpr std::uint64_t bit_of(std::uint64_t sequence) {
  return std::uint64_t{1} << (sequence % 64);
}

constexpr std::size_t kConnectionAt = 1;
constexpr std::size_t kSequenceAt = 5;
constexpr unsigned kTypeMask = (1U << kTypeBits) - 1;
constexpr std::uint64_t kCycle = std::uint64_t{1} << kSequenceBits;  // range of the bits sent
static_assert(kSequenceAt + sizeof(std::uint16_t) == kPacketHeadBytes);

Direction opposite(Direction direction) {
  return direction == Direction::ToServer ? Direction::ToClient : Direction::ToServer;
}

const SecretKey& key_of(const KeyPair& keys, Direction direction) {
  return direction == Direction::ToServer ? keys.to_server : keys.to_client;
}

}  // namespace

bool ReplayWindow::accepts(std::uint64_t sequence) const {
  if (sequence == 0) return false;
  if (sequence > newest_) return true;
  if (newest_ - sequence >= kReplayWindow) return false;
  return (seen_[word_of(sequence)] & bit_of(sequence)) == 0;
}

void ReplayWindow::advance(std::uint64_t sequence) {
  TICKBOX_ASSERT(accepts(sequence));
  if (sequence > newest_ && sequence - newest_ >= kReplayWindow) {
    seen_.fill(0);
    newest_ = sequence;
  }
  while (newest_ < sequence) {
    ++newest_;
    seen_[word_of(newest_)] &= ~bit_of(newest_);
  }
  seen_[word_of(sequence)] |= bit_of(sequence);
  ++count_;
}

std::optional<PacketType> packet_type(ConstBytes datagram) {
  if (datagram.empty()) return std::nullopt;
  const auto first = std::to_integer<unsigned>(datagram[0]);
  const auto type = static_cast<PacketType>(first & kTypeMask);
  switch (type) {
    case PacketType::Hello:
    case PacketType::Cookie:
    case PacketType::Connect:
    case PacketType::Resume:
    case PacketType::Refuse:
      return first == static_cast<unsigned>(type) ? std::optional{type} : std::nullopt;
    case PacketType::Accept:
      return first >> kTypeBits <= static_cast<unsigned>(Cipher::Aes256Gcm) ? std::optional{type}
                                                                            : std::nullopt;
    case PacketType::Input:
    case PacketType::Snapshot:
    case PacketType::Disconnect:
    case PacketType::Challenge:
    case PacketType::Response:
    case PacketType::Drain:
    case PacketType::DesyncReport:
    case PacketType::DesyncState:
      return type;
  }
  return std::nullopt;
}

bool travels_sealed(PacketType type, Direction direction) {
  switch (type) {
    case PacketType::Input:
    case PacketType::Response:
    case PacketType::DesyncReport:
      return direction == Direction::ToServer;
    case PacketType::Snapshot:
    case PacketType::Challenge:
    case PacketType::Drain:
    case PacketType::DesyncState:
      return direction == Direction::ToClient;
    case PacketType::Disconnect:
      return true;
    case PacketType::Hello:
    case PacketType::Cookie:
    case PacketType::Connect:
    case PacketType::Accept:
    case PacketType::Resume:
    case PacketType::Refuse:
      return false;  // types of the handshake
  }
  return false;
}

std::uint32_t packet_connection(ConstBytes datagram) {
  TICKBOX_ASSERT(datagram.size() >= kPacketHeadBytes);
  return load_le<std::uint32_t>(datagram.subspan(kConnectionAt));
}

const SecretKey* EpochKeys::key_of(std::uint64_t sequence) const {
  const std::uint64_t index = (sequence >> kEpochBits) + 1 - epoch_;
  return index < keys_.size() ? &keys_[index] : nullptr;
}

void EpochKeys::reach(std::uint64_t sequence) {
  const std::uint64_t epoch = sequence >> kEpochBits;
  if (epoch <= epoch_) return;
  TICKBOX_ASSERT(epoch == epoch_ + 1);
  epoch_ = epoch;
  keys_ = {keys_[1], keys_[2], derive_next_key(keys_[2])};
}

PacketChannel::PacketChannel(const KeyPair& keys, std::uint32_t connection, Direction sends,
                             Cipher cipher)
    : connection_(connection),
      sends_(sends),
      cipher_(cipher),
      receiving_(key_of(keys, opposite(sends))),
      sending_(key_of(keys, sends)) {}

ConstBytes PacketChannel::seal_packet(PacketType type, ConstBytes message, PacketBuffer& out) {
  TICKBOX_ASSERT(message.size() <= kMessageBytesMax);
  TICKBOX_ASSERT(travels_sealed(type, sends_));
  TICKBOX_ASSERT(sent_ < std::numeric_limits<std::uint64_t>::max());
  ++sent_;
  sending_.reach(sent_);
  const MutableBytes datagram = MutableBytes{out}.first(message.size() + kPacketOverheadBytes);
  const auto epoch = static_cast<unsigned>(sent_ >> kEpochBits & 3);
  datagram[0] = static_cast<std::byte>(static_cast<unsigned>(type) | epoch << kTypeBits);
  store_le(datagram.subspan(kConnectionAt), connection_);
  store_le(datagram.subspan(kSequenceAt), static_cast<std::uint16_t>(sent_ & 0xffff));
  seal(cipher_, *sending_.key_of(sent_), sent_, datagram.first(kPacketHeadBytes), message,
       datagram.subspan(kPacketHeadBytes));
  return datagram;
}

std::expected<std::uint64_t, DropReason> PacketChannel::check_packet(ConstBytes datagram) const {
  if (datagram.size() < kPacketOverheadBytes) return std::unexpected{DropReason::TooShort};
  if (datagram.size() > kDatagramBytesMax) return std::unexpected{DropReason::TooLong};
  const auto type = packet_type(datagram);
  if (!type || !travels_sealed(*type, opposite(sends_))) {
    return std::unexpected{DropReason::UnknownType};
  }

  const auto epoch = std::to_integer<std::uint32_t>(datagram[0]) >> kTypeBits;
  const auto low = load_le<std::uint16_t>(datagram.subspan(kSequenceAt));
  const std::uint64_t sequence = expand_sequence(epoch << kEpochBits | low, window_.newest());
  if (!window_.accepts(sequence) || receiving_.key_of(sequence) == nullptr) {
    return std::unexpected{DropReason::Replayed};
  }
  return sequence;
}

std::expected<PacketChannel::Opened, DropReason> PacketChannel::open_packet(ConstBytes datagram,
                                                                            PacketBuffer& out) {
  const auto sequence = check_packet(datagram);
  if (!sequence) return std::unexpected{sequence.error()};
  const ConstBytes head = datagram.first(kPacketHeadBytes);
  const ConstBytes sealed = datagram.subspan(kPacketHeadBytes);
  const std::uint32_t connection = packet_connection(datagram);
  if (!open(cipher_, *receiving_.key_of(*sequence), *sequence, head, sealed, out)) {
    return std::unexpected{connection == connection_ ? DropReason::Forged
                                                     : DropReason::UnknownConnection};
  }
  window_.advance(*sequence);
  receiving_.reach(*sequence);
  const bool is_client = sends_ == Direction::ToServer;
  if (is_client && *sequence == window_.newest()) connection_ = connection;
  return Opened{.type = *packet_type(datagram),
                .sequence = *sequence,
                .message = ConstBytes{out}.first(sealed.size() - kTagBytes)};
}

std::uint64_t expand_sequence(std::uint32_t low, std::uint64_t newest) {
  const std::uint64_t guess = (newest & ~(kCycle - 1)) | low;
  if (guess + kCycle / 2 <= newest) return guess + kCycle;
  if (guess > newest + kCycle / 2 && guess >= kCycle) return guess - kCycle;
  return guess;
}

}  // namespace tickbox::net
