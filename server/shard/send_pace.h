#pragma once
// Decides in which ticks a client is sent something.

#include "core/ids.h"
#include "protocol/snapshot.h"
#include "server/shard/limits.h"
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

  /// Returns whether a snapshot of `tick` is due. A client without a base receives full views,
  /// which are rarer.
  [[nodiscard]] bool is_due(const Session& session, Tick tick, bool has_base) const {
    if (!has_turn(tick, session.player)) return false;
    return has_base || session.last_snapshot.value == 0 ||
           tick - session.last_snapshot >= std::int64_t{tick_rate / kFullViewsPerSecond};
  }

  /// Returns whether a snapshot of `tick` is due even if the client can compute all of it.
  [[nodiscard]] bool is_quiet_due(const Session& session, Tick tick) const {
    return tick - session.last_snapshot >= std::int64_t{tick_rate / kQuietSnapshotsPerSecond};
  }

  /// Returns the report about the client's packets if it is due, and notes that it is sent.
  [[nodiscard]] std::optional<protocol::LinkStatus> take_status(Session& session, Tick tick) const {
    if (tick - session.last_status < std::int64_t{tick_rate} * kStatusSeconds) return std::nullopt;
    session.last_status = tick;
    return link_status(session);
  }
};

}  // namespace tickbox::server
