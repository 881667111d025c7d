#pragma once
// The messages in sealed packets but snapshots (snapshot.h): inputs to the server, DRAIN to the
// client; DISCONNECT, path checks and the parts of a whole view in both directions.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "net/connect_token.h"
#include "net/handshake.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "protocol/history_depths.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

namespace tickbox::protocol {

/// The acknowledgement of the newest view that a client holds.
struct ViewAck {
  Tick tick;
  std::uint16_t receipt = 0;  ///< that of the view's snapshot: proves that the client received it

  friend bool operator==(const ViewAck&, const ViewAck&) = default;
};

/// The most bytes of an INPUT beside its inputs and commands: mask 1, head 8, acknowledgement of a
/// view 4, the count of the inputs 2.
inline constexpr std::size_t kInputFrameBytes = 15;
/// The most bytes of commands in a message: the largest command fits.
inline constexpr std::size_t kCommandBytesMax = 96;
/// The most bytes of inputs in a message. A client with more sends only the newest of them.
inline constexpr std::size_t kInputBytesMax =
    net::kMessageBytesMax - kInputFrameBytes - kCommandBytesMax;

struct InputMessage {
  std::optional<ViewAck> view = std::nullopt;  ///< nothing: the client holds no view
  std::uint32_t mismatches = 0;
  std::uint16_t events = 0;  ///< number of the newest received event before which none is missing
  Tick first_tick;           ///< of the first input; the others are for the ticks after it
  std::vector<std::byte> inputs;    ///< bits of views/inputs.h; empty: none
  std::vector<std::byte> commands;  ///< bits of views/inputs.h; empty: none
};

/// DRAIN: the server stops.
struct Drain {
  std::chrono::milliseconds left{};  ///< until the server disconnects the client; below 49 days
  /// Admits the client to another server, where it plays on; nothing: the client plays here until
  /// the end.
  std::optional<net::ConnectToken> onward{};
};

[[nodiscard]] ConstBytes encode_input(const InputMessage& message, MessageBuffer& buffer);
[[nodiscard]] ConstBytes encode_disconnect(net::DisconnectReason reason, MessageBuffer& buffer);
[[nodiscard]] ConstBytes encode_drain(const Drain& drain, MessageBuffer& buffer);
/// Encodes a CHALLENGE or its RESPONSE.
[[nodiscard]] ConstBytes encode_path_check(std::uint64_t data, MessageBuffer& buffer);

/// Each function verifies the FlatBuffer, then the meaning (the fields that must be present, empty
/// vectors, reasons). No unverified data is read. Fails: Malformed.
/// `room_tick`: near the ticks of the message, of which 16 bits are sent. The bits of inputs and
/// commands are not read; `message` keeps its memory.
[[nodiscard]] std::expected<void, net::DropReason> decode_input(ConstBytes bytes, Tick room_tick,
                                                                InputMessage& message);
[[nodiscard]] std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(
    ConstBytes message);
[[nodiscard]] std::expected<Drain, net::DropReason> decode_drain(ConstBytes message);
[[nodiscard]] std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message);

// A whole view in parts that fit datagrams. After a desync each end sends the other its state of
// the view, so that each can report the fields that differ.

/// Bytes in each part except the last, so that a datagram stays below 1,200 bytes.
inline constexpr std::size_t kViewPartBytes = 1'088;
/// The most parts of a view. A view of more bytes is not sent.
inline constexpr std::size_t kViewPartsMax = 64;
inline constexpr std::size_t kViewBytesMax = kViewPartBytes * kViewPartsMax;

/// The identity of a view among all views that a session has received: no two have the same
/// numbers.
struct ViewName {
  Tick tick;
  std::uint32_t server_hash = 0;  ///< low 32 bits, from the snapshot
  std::uint32_t client_hash = 0;  ///< of the view that the client made; differs from server_hash
  std::uint8_t base_age = 0;      ///< of the snapshot

  friend bool operator==(const ViewName&, const ViewName&) = default;
};

/// One part of a view. Its bytes are a piece of what views/view_state.h writes.
struct ViewPart {
  ViewName view;
  std::uint8_t part = 0;
  std::uint8_t parts = 1;     ///< parts of the sender's view; 0: the sender cannot send the view
  std::uint64_t arrived = 0;  ///< bit i: part i of the other end's view has arrived
  InplaceVector<std::byte, kViewPartBytes> bytes;
};

/// Returns the number of parts of a view with this number of bytes. A view of no bytes has one
/// part. Requires: at most kViewBytesMax.
[[nodiscard]] constexpr std::uint8_t parts_of(std::size_t bytes) {
  const std::size_t parts = (bytes + kViewPartBytes - 1) / kViewPartBytes;
  return static_cast<std::uint8_t>(parts == 0 ? 1 : parts);
}

/// Returns a number with a bit for each of `parts` parts.
[[nodiscard]] constexpr std::uint64_t all_parts(std::uint8_t parts) {
  return parts < 64 ? (std::uint64_t{1} << parts) - 1 : ~std::uint64_t{0};
}

/// Returns part `number` of a view. Requires: at most kViewBytesMax bytes; number <
/// parts_of(bytes.size()).
[[nodiscard]] ViewPart part_of(const ViewName& view, ConstBytes bytes, std::uint8_t number);

/// The most bytes of a view part's message beside those of the view.
inline constexpr std::size_t kViewPartFrameBytes = 64;

/// Returns the most bytes of the message of a view part with `bytes` bytes.
[[nodiscard]] constexpr std::size_t view_part_bytes(std::size_t bytes) {
  return kViewPartFrameBytes + bytes;
}

/// Encodes a DESYNC_REPORT or a DESYNC_STATE.
[[nodiscard]] ConstBytes encode_view_part(const ViewPart& part, MessageBuffer& buffer);

/// Verifies the FlatBuffer, then the meaning: ranges and sizes. Fails: Malformed.
[[nodiscard]] std::expected<ViewPart, net::DropReason> decode_view_part(ConstBytes message);

/// The received parts of one view, which arrive in any order.
class ViewParts {
 public:
  void clear();

  /// Adds a part. Returns false if the parts are not of one view: the number of parts differs, a
  /// repeated part differs, or a part before the last is short.
  /// Requires: a decoded part, with parts > 0.
  [[nodiscard]] bool add(const ViewPart& part);

  [[nodiscard]] bool is_whole() const { return parts_ > 0 && arrived_ == all_parts(parts_); }

  /// Returns one bit for each part; bit i: part i has arrived.
  [[nodiscard]] std::uint64_t arrived() const { return arrived_; }

  /// Returns the number of parts; 0 before the first part has arrived.
  [[nodiscard]] std::uint8_t parts() const { return parts_; }

  /// Requires: is_whole().
  [[nodiscard]] ConstBytes bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
  std::uint8_t parts_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace tickbox::protocol
