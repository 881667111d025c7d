#pragma once
// One match: a world, its rules, and the log and states of its last ticks. A room knows nothing of
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
#include "server/room/replication_log.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::server {

/// The entities after a tick, and their hashes.
struct StateAt {
  std::vector<game::EntityState> entities;  ///< sorted by id
  std::vector<std::uint64_t> hashes;        ///< hashes of the entities, in the same order
};

class Room {
 public:
  /// `tick_rate`: ticks per second; decides for how many past ticks the room keeps islands.
  Room(game::SharedMap map, std::shared_ptr<const game::Rules> rules, std::uint64_t seed,
       std::uint32_t tick_rate);

  /// Writes the commands of the next tick to the log. Call it before every tick() or before none: a
  /// room without recordings and audits needs no log.
  void log_commands(const game::TickCommands& commands, const game::CommandOrigins& origins) {
    log_.tick(commands, origins);
  }

  /// Steps the world by one tick.
  void tick(const game::TickCommands& commands);

  [[nodiscard]] const game::TickLog& log() const { return log_; }

  /// Returns the entry of the tick logged and stepped last. Valid until the next is logged.
  [[nodiscard]] game::TickEntry log_entry() const {
    return {.tick = log_.last(),
            .bytes = log_.bytes(),
            .state_hash = hash_,
            .is_quiet = log_.is_quiet()};
  }

  [[nodiscard]] const game::World& world() const { return world_; }

  [[nodiscard]] const game::Rules& rules() const { return *rules_; }

  /// Returns the events of the last tick, except those of the physics.
  [[nodiscard]] const game::TickEvents& events() const { return stepper_.events; }

  /// Returns the state hash after the last tick.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// Returns the entities after the last tick, sorted by id; entity_hashes() has their hashes.
  [[nodiscard]] std::span<const game::EntityState> entities() const {
    return states_.at(world_.tick).entities;
  }

  [[nodiscard]] std::span<const std::uint64_t> entity_hashes() const {
    return states_.at(world_.tick).hashes;
  }

  /// Returns the state after one of the last protocol::kTicksRemembered ticks, or nullptr if it is
  /// not stored.
  [[nodiscard]] const StateAt* state_after(Tick tick) const { return states_.find(tick); }

  /// Returns the causes, bodies and islands of the last ticks.
  [[nodiscard]] ReplicationLog& replication_log() { return replication_log_; }

  [[nodiscard]] const ReplicationLog& replication_log() const { return replication_log_; }

 private:
  void store_state();

  std::shared_ptr<const game::Rules> rules_;
  game::World world_;
  game::TickLog log_;
  game::Stepper stepper_;
  std::uint64_t hash_ = 0;
  TickRing<StateAt, protocol::kTicksRemembered> states_;
  ReplicationLog replication_log_;
};

}  // namespace tickbox::server
