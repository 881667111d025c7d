#pragma once
// Receives the INPUT messages of clients: inputs, commands, what they acknowledge, and how many
// hashes were wrong. It never steps.

#include "core/clock.h"
#include "net/packet.h"
#include "net/reasons.h"
#include "protocol/messages.h"
#include "server/shard/context.h"
#include "server/shard/session.h"
#include "views/inputs.h"

#include <cstdint>
#include <expected>

namespace tickbox::server {

/// When a datagram arrived and when it was received, and when the next tick is due.
struct Arrival {
  Instant at;  ///< earlier than `now` by the time that it has waited in the socket
  Instant now;
  Instant next_deadline;
};

class InputReceiver {
 public:
  InputReceiver(ShardContext& context, std::uint32_t tick_rate)
      : context_(context), tick_rate_(tick_rate) {}

  /// Receives an INPUT packet of a playing session. Fails: Malformed, if its message does not
  /// decode.
  [[nodiscard]] std::expected<void, net::DropReason> receive(
      Session& session, const net::PacketChannel::Opened& opened, const Arrival& arrival);

 private:
  void receive_acks(Session& session, const protocol::InputMessage& message,
                    const Arrival& arrival);
  void receive_full_view_request(Session& session, Instant now);
  void receive_inputs(Session& session, InputBuffer::Packet packet);
  void receive_commands(Session& session, Instant now);
  void count_mismatches(Session& session, std::uint32_t reported, Instant now);
  [[nodiscard]] std::int16_t margin_of(const Session& session, Tick newest,
                                       const Arrival& arrival) const;

  ShardContext& context_;
  std::uint32_t tick_rate_;
  protocol::InputMessage message_;    ///< the one in progress
  views::ReceivedInputs inputs_;      ///< those of the message
  views::ReceivedCommands commands_;  ///< the same
};

}  // namespace tickbox::server
