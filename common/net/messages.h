#pragma once
// What sealed packets carry: inputs up, snapshots down, and goodbye both ways. Encode stands beside
// decode.

#include "core/bounded.h"
#include "core/bytes.h"
#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "net/handshake.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <span>

namespace tickbox::net {

/// Inputs in one message: a second at 60 Hz; a client with more unconfirmed has lost its server.
inline constexpr std::size_t kInputsPerMessageMax = 64;

struct InputMessage {
  std::uint64_t ack_bits =
      0;                 ///< bit i: the snapshot of tick newest_snapshot − 1 − i arrived whole
  Tick newest_snapshot;  ///< newest snapshot that arrived whole; 0 before the first
  std::uint32_t mismatches = 0;
  Tick first_tick;  ///< the tick of inputs[0]; the others follow one by one
  BoundedVector<game::Input, kInputsPerMessageMax> inputs;
};

struct SnapshotHead {
  std::uint64_t view_hash = 0;
  Tick tick;
  Tick input_tick;                     ///< every input up to this tick has arrived or was given up
  std::uint32_t newest_packet = 0;     ///< low 32 bits of the newest client sequence that arrived
  std::uint32_t packets_received = 0;  ///< client packets that arrived, ever
  std::uint16_t ack_delay =
      0;  ///< units of 10 µs between that arrival and this snapshot, saturating
  std::uint16_t view_size = 0;    ///< entities of the whole view
  std::uint16_t substituted = 0;  ///< modulo 2^16
  std::uint16_t late = 0;         ///< modulo 2^16
  std::int16_t margin = 0;        ///< 1/16 ticks
  std::uint8_t touched =
      255;  ///< ticks since another mover touched the client's body, or it was moved
  std::uint8_t fragment = 0;
  std::uint8_t fragments = 1;

  friend bool operator==(const SnapshotHead&, const SnapshotHead&) = default;
};

/// Entities in one datagram, so that head, FlatBuffers and seal fit kDatagramBytesMax; checked
/// where it is encoded.
inline constexpr std::size_t kEntitiesPerFragment = 39;
/// Datagrams in one snapshot.
inline constexpr std::size_t kFragmentsMax = 4;
/// Entities in one view.
inline constexpr std::size_t kViewEntitiesMax = kEntitiesPerFragment * kFragmentsMax;

/// One datagram's part of a snapshot.
struct SnapshotFragment {
  SnapshotHead head;
  BoundedVector<game::EntityState, kEntitiesPerFragment> entities;
};

/// Writes messages. Keeps its memory: no allocation once warm.   The bytes returned last until the
/// next call.
class MessageEncoder {
 public:
  MessageEncoder();
  ~MessageEncoder();
  MessageEncoder(MessageEncoder&&) noexcept;
  MessageEncoder& operator=(MessageEncoder&&) noexcept;

  ConstBytes input(const InputMessage& message);
  /// Requires: at most kEntitiesPerFragment entities, and a head whose counts agree with them.
  ConstBytes snapshot(const SnapshotHead& head, std::span<const game::EntityState> entities);
  ConstBytes disconnect(DisconnectReason reason);
  /// Of a CHALLENGE, and of its RESPONSE.
  ConstBytes path_check(std::uint64_t data);

 private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
};

/// Each verifies the FlatBuffers, then the meaning (ranges, counts, kinds); nothing else is ever
/// read. Fails: Malformed.
[[nodiscard]] std::expected<InputMessage, DropReason> decode_input(ConstBytes message);
[[nodiscard]] std::expected<SnapshotFragment, DropReason> decode_snapshot(ConstBytes message);
[[nodiscard]] std::expected<DisconnectReason, DropReason> decode_disconnect(ConstBytes message);
[[nodiscard]] std::expected<std::uint64_t, DropReason> decode_path_check(ConstBytes message);

}  // namespace tickbox::net
