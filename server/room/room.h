#pragma once
// One match: a world, its rules, and what happened in its last ticks. It has never heard of
// sessions.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/entity_state.h"
#include "game/map.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/tick_log.h"
#include "game/world.h"
#include "protocol/history_depths.h"
#include "server/room/history.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::server {

/// A tick as it was left.
struct PastTick {
  std::vector<game::EntityState> entities;  ///< by id
  std::vector<std::uint64_t> hashes;        ///< one for one
};

/// A room's last ticks, shared by all who ask what somebody saw then.
class Past {
 public:
  void reserve(std::size_t entities);

  /// Takes over the world as it is after its tick; the one of protocol::kTicksRemembered ticks
  /// before is forgotten.   Cost: no allocation once warm.
  void note(const game::World& world);

  /// The tick noted last.  Requires: one was.
  [[nodiscard]] const PastTick& newest() const { return ticks_.at(newest_); }

  /// A tick of the last protocol::kTicksRemembered, or nullptr.
  [[nodiscard]] const PastTick* find(Tick tick) const { return ticks_.find(tick); }

 private:
  TickRing<PastTick, protocol::kTicksRemembered> ticks_;
  Tick newest_;
};

class Room {
 public:
  /// `tick_rate`: per second; how much of its past it keeps.
  Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed,
       std::uint32_t tick_rate);

  /// Writes what is to enter the next tick into the log. Before each tick(), or before none: a room
  /// that nobody records or audits does without.
  void log_commands(const game::TickCommands& commands, const game::CommandOrigins& origins) {
    log_.tick(commands, origins);
  }

  /// Steps the world by one tick.
  void tick(const game::TickCommands& commands);

  [[nodiscard]] const game::TickLog& log() const { return log_; }

  /// The tick that was logged and stepped last. Valid until the next is logged.
  [[nodiscard]] game::TickEntry log_entry() const {
    return {.tick = log_.last(),
            .bytes = log_.bytes(),
            .state_hash = hash_,
            .is_quiet = log_.is_quiet()};
  }

  [[nodiscard]] const game::World& world() const { return world_; }

  [[nodiscard]] const game::Rules& rules() const { return *rules_; }

  /// What happened in the last tick beside the physics.
  [[nodiscard]] const game::TickEvents& events() const { return stepper_.events; }

  /// Of the whole state after the last tick.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// The world's entities after the last tick, by id, and the hash of each.
  [[nodiscard]] std::span<const game::EntityState> entities() const {
    return past_.newest().entities;
  }

  [[nodiscard]] std::span<const std::uint64_t> entity_hashes() const {
    return past_.newest().hashes;
  }

  /// The same of the ticks before.
  [[nodiscard]] const Past& past() const { return past_; }

  /// What happened in the last ticks.
  [[nodiscard]] History& history() { return history_; }

  [[nodiscard]] const History& history() const { return history_; }

 private:
  void publish();

  std::shared_ptr<const game::Rules> rules_;
  game::World world_;
  game::TickLog log_;
  game::Stepper stepper_;
  std::uint64_t hash_ = 0;
  Past past_;
  History history_;
};

}  // namespace tickbox::server
