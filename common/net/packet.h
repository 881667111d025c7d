#pragma once
// The sealed packet, and the window that accepts each sequence once. Type, connection and sequence
// are in clear but authenticated; the message is encrypted; a tag follows. A packet is 23 bytes
// longer than its message.
//
// Keys change with the sequence: an epoch is 65,536 packets of one direction, and each epoch's key
// follows from the last by a one-way step. Nothing is negotiated, so nothing can be lost. A stolen
// key opens no packet that was sent before its epoch.

#include "core/bytes.h"
#include "net/crypto.h"
#include "net/reasons.h"
#include "net/transport.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>

namespace tickbox::net {

/// The size of the replay window. 1,024 packets are 17 s of a client at 60 Hz, and some seconds of
/// a server that sends several per tick. No path reorders packets by that much.
inline constexpr std::uint64_t kReplayWindow = 1'024;

/// The record of which of the last 1,024 sequences of a session have arrived. Each sequence is
/// accepted once, in any order. The window is tested before a packet is opened and advances only
/// after that, so a forgery cannot move it.
class ReplayWindow {
 public:
  /// Returns whether `sequence` is new. Cost: constant.
  [[nodiscard]] bool accepts(std::uint64_t sequence) const;

  /// Requires: accepts(sequence), and that its packet opened.
  void advance(std::uint64_t sequence);

  /// Returns the newest sequence so far; 0 before the first (sequences start at 1).
  [[nodiscard]] std::uint64_t newest() const { return newest_; }

  /// Returns how many sequences have arrived in total.
  [[nodiscard]] std::uint64_t count() const { return count_; }

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, kReplayWindow / 64> seen_{};
};

enum class PacketType : std::uint8_t {
  Hello = 1,
  Cookie = 2,
  Connect = 3,
  Accept = 4,
  Resume = 5,
  Refuse = 6,
  Input = 8,
  Snapshot = 9,
  Disconnect = 10,
  Challenge = 11,
  Response = 12,
  Drain = 14,
  DesyncReport = 16,
  DesyncState = 17,
};

enum class Direction : std::uint8_t { ToServer, ToClient };

/// The bytes of a packet's head. Byte 0: type in the low six bits, key epoch modulo 4 in the high
/// two. Bytes 1 to 4: connection id. Bytes 5 and 6: the low 16 bits of the sequence. Then the
/// ciphertext and the tag follow.
inline constexpr std::size_t kPacketHeadBytes = 7;
inline constexpr std::size_t kPacketOverheadBytes = kPacketHeadBytes + kTagBytes;
inline constexpr std::size_t kMessageBytesMax = kDatagramBytesMax - kPacketOverheadBytes;
static_assert(kPacketOverheadBytes == 23);

/// Bits of a sequence within one key epoch: 65,536 packets, about 18 minutes of a client at 60 Hz.
inline constexpr int kEpochBits = 16;
/// Bits of a sequence that are sent: the bits above, and two more for the epoch.
inline constexpr int kSequenceBits = kEpochBits + 2;

/// The bits of byte 0 of a packet or an ACCEPT that have its type.
inline constexpr int kTypeBits = 6;

/// A buffer for one datagram.
using PacketBuffer = std::array<std::byte, kDatagramBytesMax>;

/// Returns the type of a datagram, if its first byte names one.
[[nodiscard]] std::optional<PacketType> packet_type(ConstBytes datagram);

/// Returns whether a packet of this type is sealed in this direction.
[[nodiscard]] bool travels_sealed(PacketType type, Direction direction);

/// Returns the connection id of a sealed packet, which is not authenticated until it opens.
/// Requires: at least kPacketHeadBytes bytes.
[[nodiscard]] std::uint32_t packet_connection(ConstBytes datagram);

/// The keys of one direction, for the present epoch and its neighbours.
class EpochKeys {
 public:
  EpochKeys() = default;

  explicit EpochKeys(const SecretKey& first) : keys_{SecretKey{}, first, derive_next_key(first)} {}

  /// Returns the key of a sequence's epoch, or nullptr if that epoch is neither the present one nor
  /// a neighbour.
  [[nodiscard]] const SecretKey* key_of(std::uint64_t sequence) const;

  /// Moves on to the epoch of `sequence`, if it is the next one. Overwrites the keys before the
  /// previous epoch. Requires: key_of(sequence) is not nullptr.
  void reach(std::uint64_t sequence);

 private:
  std::array<SecretKey, 3> keys_{};  ///< of the last epoch, this one, and the next
  std::uint64_t epoch_ = 0;
};

/// One side of a session: seals what it sends and opens what it receives.
class PacketChannel {
 public:
  PacketChannel() = default;
  /// Makes a channel that sends in direction `sends`. The ACCEPT uses the server's sequence 0.
  PacketChannel(const KeyPair& keys, std::uint32_t connection, Direction sends,
                Cipher cipher = Cipher::ChaCha20Poly1305);

  /// Returns the connection id of the packets that this end seals.
  [[nodiscard]] std::uint32_t connection() const { return connection_; }

  /// Gives the packets that this end seals another connection id. The client's end does so by
  /// itself: it takes the id of the newest packet that it has opened.
  void set_connection(std::uint32_t connection) { connection_ = connection; }

  /// Seals `message` into `out` and returns the datagram, a part of `out`. Requires: at most
  /// kMessageBytesMax bytes.
  ConstBytes seal_packet(PacketType type, ConstBytes message, PacketBuffer& out);

  struct Opened {
    PacketType type;
    std::uint64_t sequence;
    ConstBytes message;  ///< a part of `out`
  };

  /// Checks all of a packet but its seal: length, type, replay and epoch. Returns its sequence.
  /// Fails: TooShort, TooLong, UnknownType, Replayed. Cost: no cryptography.
  [[nodiscard]] std::expected<std::uint64_t, DropReason> check_packet(ConstBytes datagram) const;

  /// Opens a packet into `out`. Makes the checks of check_packet(), then opens the seal, and
  /// advances the window last.
  /// Fails: as check_packet(); Forged; UnknownConnection, if a packet with another id does not
  /// open.
  std::expected<Opened, DropReason> open_packet(ConstBytes datagram, PacketBuffer& out);

  /// Returns the sequence of the last packet sealed; 0 before the first.
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

  [[nodiscard]] Cipher cipher() const { return cipher_; }

  [[nodiscard]] const ReplayWindow& received() const { return window_; }

 private:
  std::uint32_t connection_ = 0;
  Direction sends_ = Direction::ToServer;
  Cipher cipher_ = Cipher::ChaCha20Poly1305;
  std::uint64_t sent_ = 0;
  ReplayWindow window_;
  EpochKeys receiving_;
  EpochKeys sending_;
};

/// Returns the full sequence that ends in the bits `low` and is nearest to `newest`; of two equally
/// near the later. Requires: `low` has at most kSequenceBits bits.
[[nodiscard]] std::uint64_t expand_sequence(std::uint32_t low, std::uint64_t newest);

}  // namespace tickbox::net
