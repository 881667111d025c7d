#pragma once
// A small open room that remembers everything that happened in it, and the snapshots that tell of
// it, made the plain way: by looking at all of it.

#include "game/map.h"
#include "game/step.h"
#include "games/arena/arena.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tickbox::tests {

/// What is to be told otherwise than everything by causes.
struct Telling {
  std::vector<BodyId> hidden;  ///< not in the view
  std::vector<BodyId> whole;   ///< comes whole, though it could be replayed
};

class ToldRoom {
 public:
  static constexpr std::uint32_t kSeats = 8;
  static constexpr std::uint16_t kPlaces = 4 * kSeats;

  ToldRoom() : world_(open_map(), rules_->settings(), 1) {
    rules_->open(world_);
    remember({});
  }

  void join(PlayerId player) { step({.leaves = {}, .joins = {&player, 1}, .inputs = {}}); }

  void leave(PlayerId player) { step({.leaves = {&player, 1}, .joins = {}, .inputs = {}}); }

  void tick(const std::vector<game::PlayerInput>& inputs = {}) {
    step({.leaves = {}, .joins = {}, .inputs = inputs});
  }

  /// Puts a player's body so many units from the middle, at rest. No cause tells of it: only before
  /// the tick is told for the first time.
  void put(PlayerId player, std::int32_t x, std::int32_t y) {
    sim::Body& body = *world_.physics().find(world_.body_of(player));
    body.min = {.x = x * kUnit, .y = y * kUnit};
    body.velocity = {};
    past_[world_.tick].entities = entities_now();
  }

  [[nodiscard]] Tick now() const { return world_.tick; }

  [[nodiscard]] const game::SharedMap& map() const { return world_.map(); }

  [[nodiscard]] std::shared_ptr<const game::Rules> rules() const { return rules_; }

  [[nodiscard]] BodyId body(PlayerId player) const { return world_.body_of(player); }

  [[nodiscard]] const std::vector<game::EntityState>& entities() const {
    return past_.at(world_.tick).entities;
  }

  /// Requires: it is there.
  [[nodiscard]] game::EntityState entity(BodyId id) const {
    return world_.entity(world_.index_of(id));
  }

  [[nodiscard]] std::vector<game::EntityState> seen(const std::vector<BodyId>& hidden) const {
    std::vector<game::EntityState> seen = entities();
    std::erase_if(seen, [&](const auto& entity) { return holds(hidden, entity.id); });
    return seen;
  }

  /// All that is to be seen now, whole.
  protocol::Snapshot full(const std::vector<BodyId>& hidden = {}) {
    protocol::Snapshot snapshot = begin(hidden);
    for (const game::EntityState& entity : seen(hidden)) {
      snapshot.bodies.push_back(entity);
    }
    return snapshot;
  }

  /// On the view that was told of `base`.
  protocol::Snapshot since(Tick base, const Telling& telling = {}) {
    protocol::Snapshot snapshot = begin(telling.hidden);
    snapshot.head.base_age = static_cast<std::uint8_t>(now() - base);
    const std::vector<BodyId>& members = told_.at(base);
    std::vector<BodyId> replayed;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool died = game::has_kind(members[i], game::EntityKind::Bullet);
      const bool leaves = holds(telling.hidden, members[i]) || (!is_there(members[i]) && !died);
      if (leaves) {
        snapshot.causes.leaves.push_back(static_cast<std::uint8_t>(i));
      } else if (!holds(telling.whole, members[i])) {
        replayed.push_back(members[i]);
      }
    }
    for (Tick tick = base + 1; tick <= now(); tick = tick + 1) {
      tell(past_.at(tick), static_cast<std::uint8_t>(now() - tick), members, replayed,
           snapshot.causes);
    }
    for (const game::EntityState& entity : seen(telling.hidden)) {
      if (!holds(replayed, entity.id)) snapshot.bodies.push_back(entity);
    }
    return snapshot;
  }

 private:
  struct Past {
    std::vector<game::EntityState> entities;
    std::vector<game::EntityState> turned;  ///< players that run elsewhere than before
    std::vector<game::Shot> shots;
    std::vector<game::Placement> placements;
  };

  static game::SharedMap open_map() {
    auto map = std::make_shared<game::Map>();
    map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
    map->seats = kSeats;
    for (std::int32_t i = 0; i < kPlaces; ++i) {
      map->spawn_points.push_back({.x = 1'000 * kUnit + 4 * i * kUnit, .y = 0});
    }
    map->crates.push_back({.x = 0, .y = 500 * kUnit});
    return map;
  }

  static bool holds(const std::vector<BodyId>& ids, BodyId id) {
    return std::ranges::find(ids, id) != ids.end();
  }

  [[nodiscard]] bool is_there(BodyId id) const { return world_.index_of(id) != world_.size(); }

  void step(const game::TickCommands& commands) {
    const std::vector<game::EntityState> before = entities_now();
    game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
    remember(before);
  }

  [[nodiscard]] std::vector<game::EntityState> entities_now() const {
    std::vector<game::EntityState> all;
    all.reserve(world_.size());
    for (std::size_t i = 0; i < world_.size(); ++i) {
      all.push_back(world_.entity(i));
    }
    return all;
  }

  void remember(const std::vector<game::EntityState>& before) {
    Past& past = past_[world_.tick];
    past.entities = entities_now();
    past.shots = stepper_.events.shots;
    past.placements = stepper_.events.placements;
    for (const game::EntityState& was : before) {
      if (!is_there(was.id)) continue;
      const game::EntityState is = entity(was.id);
      if (is.traits.move != was.traits.move) past.turned.push_back(is);
    }
  }

  /// The causes of one tick, of those that are replayed; and who is born of them is replayed too.
  void tell(const Past& past, std::uint8_t ago, const std::vector<BodyId>& members,
            std::vector<BodyId>& replayed, protocol::Causes& causes) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto member = static_cast<std::uint8_t>(i);
      if (!holds(replayed, members[i])) continue;
      const auto is_it = [&](PlayerId player) { return world_.body_of(player) == members[i]; };
      for (const game::EntityState& entity : past.turned) {
        if (entity.id != members[i]) continue;
        causes.inputs.push_back({.ago = ago, .member = member, .move = entity.traits.move});
      }
      for (const game::Shot& shot : past.shots) {
        if (!is_it(shot.player)) continue;
        causes.shots.push_back(
            {.ago = ago, .member = member, .aim = shot.aim, .weapon = shot.weapon});
        if (shot.weapon == game::Weapon::Gun) {
          replayed.push_back(game::bullet_body(shot.player, {now().value - ago}));
        }
      }
      for (const game::Placement& placement : past.placements) {
        if (!is_it(placement.player)) continue;
        causes.placements.push_back({.ago = ago, .member = member, .place = placement.place});
      }
    }
  }

  protocol::Snapshot begin(const std::vector<BodyId>& hidden) {
    game::ViewHash hash;
    std::vector<BodyId>& view = told_[now()];
    view.clear();
    for (const game::EntityState& entity : seen(hidden)) {
      hash.add(game::entity_hash(entity));
      view.push_back(entity.id);
    }
    protocol::Snapshot snapshot;
    snapshot.head.view_hash = static_cast<std::uint32_t>(hash.value() & 0xffff'ffff);
    snapshot.head.tick = static_cast<std::uint16_t>(now().value & 0xffff);
    return snapshot;
  }

  std::shared_ptr<const game::Rules> rules_ = std::make_shared<const game::Arena>(60);
  game::World world_;
  game::Stepper stepper_;
  std::map<Tick, Past> past_;
  std::map<Tick, std::vector<BodyId>> told_;  ///< views, by id
};

}  // namespace tickbox::tests
