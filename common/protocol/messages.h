#pragma once
// The small messages in sealed packets: inputs to the server, DRAIN to the client, DISCONNECT and
// path checks in both directions. snapshot.h and view_parts.h have the others.

#include "core/bytes.h"
#include "core/ids.h"
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

}  // namespace tickbox::protocol
