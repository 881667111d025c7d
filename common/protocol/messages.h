#pragma once
// The small messages in sealed packets: inputs to the server, DISCONNECT and path checks in both
// directions. snapshot_codec.h, audit_codec.h and view_parts.h have the others.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/inplace_vector.h"
#include "game/input.h"
#include "net/drop_reason.h"
#include "net/handshake.h"
#include "protocol/audit_codec.h"
#include "protocol/history_depths.h"
#include "protocol/message_buffer.h"
#include "protocol/snapshot.h"

#include <cstdint>
#include <expected>
#include <optional>

namespace tickbox::protocol {

/// The acknowledgement of the newest view that a client holds.
struct ViewAck {
  Tick tick;
  std::uint16_t receipt = 0;  ///< that of the view's snapshot: proves that the client received it

  friend bool operator==(const ViewAck&, const ViewAck&) = default;
};

struct InputMessage {
  std::optional<ViewAck> view = std::nullopt;  ///< nothing: the client holds no view
  std::uint32_t mismatches = 0;
  std::uint16_t events = 0;  ///< number of the newest received event before which none is missing
  Tick first_tick;           ///< tick of inputs[0]; the others are for the ticks after it
  InplaceVector<game::Input, kInputsPerMessageMax> inputs;
  std::optional<AuditAck> audit = std::nullopt;  ///< only from a client that audits
};

[[nodiscard]] ConstBytes encode_input(const InputMessage& message, MessageBuffer& buffer);
[[nodiscard]] ConstBytes encode_disconnect(net::DisconnectReason reason, MessageBuffer& buffer);
/// Encodes a CHALLENGE or its RESPONSE.
[[nodiscard]] ConstBytes encode_path_check(std::uint64_t data, MessageBuffer& buffer);

/// Each function verifies the FlatBuffer, then the meaning (counts, reasons); no unverified
/// data is read. Values of inputs are left to the game, which clamps them. Fails: Malformed.
/// `room_tick`: near the ticks of the message, of which 16 bits are sent.
[[nodiscard]] std::expected<InputMessage, net::DropReason> decode_input(ConstBytes message,
                                                                        Tick room_tick);
[[nodiscard]] std::expected<net::DisconnectReason, net::DropReason> decode_disconnect(
    ConstBytes message);
[[nodiscard]] std::expected<std::uint64_t, net::DropReason> decode_path_check(ConstBytes message);

}  // namespace tickbox::protocol
