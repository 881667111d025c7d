#pragma once
// One match of any game: a world, and the history and states of its last ticks. A match knows
// nothing of sessions.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "engine/log/tick_log.h"
#include "engine/state_hasher.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "protocol/history_depths.h"
#include "server/match/match_history.h"
#include "views/rows.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

/// What views can have of the state after a tick.
struct StateAt {
  views::Rows rows;                   ///< by id
  std::vector<std::uint64_t> hashes;  ///< views::member_hash() of each row, in the same order
  std::vector<std::byte> room;        ///< the room's state
  std::uint64_t room_hash = 0;
  std::optional<std::uint64_t> rest_version;  ///< of the world
};

class Match {
 public:
  /// Makes a match at tick 0, and lets the game open it. `game` must live longer.
  Match(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate, std::uint64_t seed);

  /// Makes a match that goes on from a world, as a keyframe has it.
  explicit Match(engine::World world);

  /// Steps the world by one tick, or lets an idle one pass. Cost: of an idle tick constant, also in
  /// memory that is touched. The first step after idle ticks makes good for as many of them as
  /// protocol::kTicksRemembered.
  void tick(const engine::TickRequest& request);

  /// Writes the last tick to the tick log. Call it after every tick() or after none: a match
  /// without recordings needs no tick log. Cost: no allocation once warm.
  void write_tick_log(const engine::TickOrigins& origins) { tick_log_.tick(record_, origins); }

  [[nodiscard]] const engine::TickLog& tick_log() const { return tick_log_; }

  /// Returns the tick logged last. Valid until the next is logged.
  [[nodiscard]] engine::EncodedTick encoded_tick() const {
    return {.tick = tick_log_.last(),
            .state_hash = tick_log_.is_idle() ? std::nullopt : std::optional{hash_},
            .is_quiet = tick_log_.is_quiet(),
            .is_idle = tick_log_.is_idle(),
            .bytes = tick_log_.bytes()};
  }

  [[nodiscard]] const engine::World& world() const { return world_; }

  /// Returns what entered the last tick.
  [[nodiscard]] const engine::TickRecord& record() const { return record_; }

  /// Returns what happened in the last tick. Requires: tick() was called.
  [[nodiscard]] const engine::TickReport& report() const { return *report_; }

  /// Returns the state hash after the last tick. Cost: constant if that was stepped; else that of
  /// hashing the seats and the room.
  [[nodiscard]] std::uint64_t hash() const {
    return stored_ == world_.tick ? hash_ : engine::state_hash(world_, rows_sum_);
  }

  /// Returns the state after one of the last protocol::kTicksRemembered ticks, or nullptr if it is
  /// not stored. Idle ticks leave the state as it was.
  [[nodiscard]] const StateAt* state_after(Tick tick) const;

  /// Returns the state after the last tick.
  [[nodiscard]] const StateAt& state() const { return states_.at(stored_); }

  /// Returns the history from which snapshots are made. Idle ticks enter it with the next step.
  [[nodiscard]] MatchHistory& history() { return history_; }

  [[nodiscard]] const MatchHistory& history() const { return history_; }

 private:
  void end_idle();
  void store_state();
  void store_rows(StateAt& now);

  engine::Stepper stepper_;
  engine::World world_;
  engine::TickRecord record_;
  engine::TickLog tick_log_;
  const engine::TickReport* report_ = nullptr;
  engine::StateHasher hasher_;
  std::uint64_t rows_sum_ = 0;  ///< of the hashes of the world's rows
  std::uint64_t hash_ = 0;      ///< after the tick that was stepped last
  TickRing<StateAt, protocol::kTicksRemembered> states_;
  Tick stored_;     ///< of the newest state; idle ticks have passed if the world's is later
  Tick idle_from_;  ///< the tick before the last idle stretch that has ended
  Tick idle_to_;    ///< the last tick of that stretch, which has the state of all of them
  MatchHistory history_;
};

}  // namespace tickbox::server
