#pragma once
// A small match without a network. The test decides which players join, where they are and what
// they do. It keeps every tick's events and makes snapshots from all of them, the simplest way.

#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::tests {

/// Exceptions from a snapshot in which causes describe all bodies.
struct Telling {
  std::vector<BodyId> hidden;  ///< bodies that are not in the view
  std::vector<BodyId> whole;   ///< bodies that are sent in full, although they could be replayed
};

class StagedMatch {
 public:
  /// Seats and spawn points of a match in the open.
  static constexpr std::uint32_t kSeats = 8;
  static constexpr std::uint16_t kPlaces = 4 * kSeats;

  /// On the map of the arena. Its origin is the upper left corner of the field. In the first block,
  /// rows 0 to 3 and columns 0 to 2 are open. A thin wall is at x = 13, from y = 4 to 12.
  explicit StagedMatch(std::uint32_t seats = 4, std::uint64_t seed = 1)
      : StagedMatch(game::make_arena_map(seats), seed) {
    const sim::Body& upper_wall = map()->statics->bodies()[0];
    origin_ = {upper_wall.min.x + upper_wall.size.y, upper_wall.min.y + upper_wall.size.y};
  }

  /// A match without a wall; players that join appear far away.
  [[nodiscard]] static StagedMatch in_the_open() { return StagedMatch{open_map(), 1}; }

  void step(const game::TickCommands& commands) {
    const std::vector<game::EntityState> before = entities();
    game::step(world_, *rules_, commands, game::Authority::Server, stepper_);
    Past& past = past_[now()];
    past.shots = events().shots;
    past.teleports = events().teleports;
    for (const game::EntityState& was : before) {
      if (is_there(was.id) && entity(was.id).traits.move != was.traits.move) {
        past.turned.push_back(entity(was.id));
      }
    }
  }

  void join(PlayerId player) { step({.leaves = {}, .joins = {&player, 1}, .inputs = {}}); }

  void leave(PlayerId player) { step({.leaves = {&player, 1}, .joins = {}, .inputs = {}}); }

  void tick(const std::vector<game::PlayerInput>& inputs = {},
            const std::vector<game::Strike>& strikes = {}) {
    step({.leaves = {}, .joins = {}, .inputs = inputs, .strikes = strikes});
  }

  void ticks(int count, const std::vector<game::PlayerInput>& inputs) {
    for (int i = 0; i < count; ++i) {
      tick(inputs);
    }
  }

  /// Moves a player's body to (x, y), in units from the origin, at rest. Snapshots have no cause
  /// for this. Requires: no snapshot of this tick was made yet.
  void put(PlayerId player, std::int32_t x, std::int32_t y) {
    box(player).min = {.x = origin_.x + x * kUnit, .y = origin_.y + y * kUnit};
    box(player).velocity = {};
  }

  [[nodiscard]] game::World& world() { return world_; }

  [[nodiscard]] const Vec2& origin() const { return origin_; }

  [[nodiscard]] Tick now() const { return world_.tick; }

  [[nodiscard]] const game::SharedMap& map() const { return world_.map(); }

  [[nodiscard]] const std::shared_ptr<const game::Rules>& rules() const { return rules_; }

  [[nodiscard]] const game::TickEvents& events() const { return stepper_.events; }

  [[nodiscard]] BodyId body(PlayerId player) const { return world_.body_of(player); }

  [[nodiscard]] sim::Body& box(PlayerId player) {
    return *world_.physics().find_mover(body(player));
  }

  [[nodiscard]] std::vector<game::EntityState> entities() const {
    std::vector<game::EntityState> all;
    world_.append_entities(all);
    return all;
  }

  /// Requires: the entity exists.
  [[nodiscard]] game::EntityState entity(BodyId id) const {
    return world_.entity(world_.index_of(id));
  }

  [[nodiscard]] std::size_t count(game::EntityKind kind) const {
    return static_cast<std::size_t>(std::ranges::count(world_.traits(), kind, &game::Traits::kind));
  }

  [[nodiscard]] std::vector<game::EntityState> seen(const std::vector<BodyId>& hidden) const {
    std::vector<game::EntityState> seen = entities();
    std::erase_if(seen, [&](const auto& entity) { return holds(hidden, entity.id); });
    return seen;
  }

  /// A full view: every visible entity in full.
  [[nodiscard]] protocol::Snapshot full(const std::vector<BodyId>& hidden = {}) {
    protocol::Snapshot snapshot = begin(hidden);
    for (const game::EntityState& entity : seen(hidden)) {
      snapshot.bodies.push_back(entity);
    }
    return snapshot;
  }

  /// A snapshot on the view that was made at `base`.
  [[nodiscard]] protocol::Snapshot since(Tick base, const Telling& telling = {}) {
    protocol::Snapshot snapshot = begin(telling.hidden);
    snapshot.head.base_age = static_cast<std::uint8_t>(now() - base);
    const std::vector<BodyId>& members = told_.at(base);
    std::vector<BodyId> replayed;
    for (std::size_t i = 0; i < members.size(); ++i) {
      const bool died = game::has_kind(members[i], game::EntityKind::Bullet);
      const bool leaves = holds(telling.hidden, members[i]) || (!is_there(members[i]) && !died);
      if (leaves) {
        snapshot.causes.exits.push_back(static_cast<std::uint8_t>(i));
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
    std::vector<game::EntityState> turned;  ///< players that changed their direction
    std::vector<game::Shot> shots;
    std::vector<game::Teleport> teleports;
  };

  StagedMatch(game::SharedMap map, std::uint64_t seed)
      : world_(std::move(map), rules_->settings(), seed) {
    rules_->open(world_);
  }

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

  /// Adds the causes of one tick for the replayed bodies. Bullets that these fire are replayed too.
  void tell(const Past& past, std::uint8_t ago, const std::vector<BodyId>& members,
            std::vector<BodyId>& replayed, protocol::Causes& causes) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
      const auto member = static_cast<std::uint8_t>(i);
      if (!holds(replayed, members[i])) continue;
      const auto is_it = [&](PlayerId player) { return world_.body_of(player) == members[i]; };
      for (const game::EntityState& entity : past.turned) {
        if (entity.id != members[i]) continue;
        causes.inputs.push_back({.ago = ago, .base_index = member, .move = entity.traits.move});
      }
      for (const game::Shot& shot : past.shots) {
        if (!is_it(shot.player)) continue;
        causes.shots.push_back(
            {.ago = ago, .base_index = member, .aim = shot.aim, .weapon = shot.weapon});
        if (shot.weapon == game::Weapon::Gun) {
          replayed.push_back(game::bullet_body(shot.player, {now().value - ago}));
        }
      }
      for (const game::Teleport& teleport : past.teleports) {
        if (!is_it(teleport.player)) continue;
        causes.teleports.push_back({.ago = ago, .base_index = member, .place = teleport.place});
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
    snapshot.head.report.tick = static_cast<std::uint16_t>(now().value & 0xffff);
    return snapshot;
  }

  std::shared_ptr<const game::Rules> rules_ = std::make_shared<const game::Arena>(60);
  game::World world_;
  game::Stepper stepper_;
  Vec2 origin_;
  std::map<Tick, Past> past_;
  std::map<Tick, std::vector<BodyId>> told_;  ///< the ids of each view
};

/// Inputs to the right: running, and a shot of each weapon.
inline constexpr game::Input kRight{.move = 1};
inline constexpr game::Input kRayRight{.buttons = game::kButtonRay, .aim = 0};
inline constexpr game::Input kShootRight{.buttons = game::kButtonShoot, .aim = 0};

}  // namespace tickbox::tests
