#pragma once
// Decides in which ticks a client is sent something.

#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/shard/session.h"

#include <cstdint>
#include <optional>

namespace tickbox::server {

struct SendPace {
  /// The time between two reports to a client about its packets.
  static constexpr std::uint32_t kStatusSeconds = 2;

  std::uint32_t tick_rate = 60;     ///< per second
  std::uint32_t snapshot_rate = 0;  ///< per second, to each client; 0: one each tick

  /// Returns whether it is a client's turn: clients take turns if snapshots are rarer than ticks.
  [[nodiscard]] bool has_turn(Tick tick, PlayerId player) const {
    const std::uint64_t turn = std::uint64_t{tick.value} + player.value;
    return snapshot_rate == 0 ||
           turn * snapshot_rate / tick_rate != (turn - 1) * snapshot_rate / tick_rate;
  }

  /// Returns the report about the client's packets if it is due, and notes that it is sent.
  [[nodiscard]] std::optional<protocol::LinkStatus> take_status(Session& session, Tick tick) const {
    if (tick - session.last_status < std::int64_t{tick_rate} * kStatusSeconds) return std::nullopt;
    session.last_status = tick;
    return link_status(session);
  }
};

}  // namespace tickbox::server
