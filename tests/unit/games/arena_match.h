#pragma once
// A match of the arena whose players a test puts and moves.

#include "engine/declared.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "games/arena/arena.h"
#include "tests/support/declared_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::games {

inline constexpr std::uint32_t kRate = 60;

/// A pad, by the names of its fields.
using Pad = std::vector<tests::NamedValue>;

/// At rest; then to the right: a run, and a shot of each weapon.
inline const Pad kRest{};
inline const Pad kRight{{.field = "move", .value = 1}};
inline const Pad kShootRight{{.field = "shoot", .value = 1}};
inline const Pad kRayRight{{.field = "ray", .value = 1}};

struct Played {
  std::uint16_t seat = 0;
  Pad pad;
};

struct SeenHit {
  std::int64_t shooter = 0;
  std::int64_t victim = 0;

  friend bool operator==(const SeenHit&, const SeenHit&) = default;
};

class ArenaMatch {
 public:
  /// The origin is the upper left corner of the field. In the first block, rows 0 to 3 and columns
  /// 0 to 2 are open. A thin wall is at x = 13, from y = 4 to 12.
  explicit ArenaMatch(std::uint32_t seats = 4, std::uint64_t seed = 1)
      : world_(arena(), engine::make_map(arena(), {.seats = seats}, kRate), kRate, seed) {
    stepper_.open(world_);
    const sim::Body& upper_wall = world_.map()->statics->bodies()[0];
    origin_ = {upper_wall.min.x + upper_wall.size.y, upper_wall.min.y + upper_wall.size.y};
  }

  void step(const engine::TickRequest& request) {
    report_ = &stepper_.step(world_, request, record_);
  }

  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<engine::Join> joins;
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    step({.leaves = {}, .joins = joins, .inputs = {}});
  }

  void leave(std::uint16_t seat) {
    const Player leaves{seat};
    step({.leaves = {&leaves, 1}, .joins = {}, .inputs = {}});
  }

  void tick(const std::vector<Played>& played = {},
            const std::vector<engine::Strike>& strikes = {}) {
    std::vector<std::vector<std::byte>> pads;
    for (const Played& each : played) {
      pads.push_back(tests::value_with(arena().input, each.pad));
    }
    std::vector<engine::PlayerInput> inputs;
    for (std::size_t i = 0; i < played.size(); ++i) {
      inputs.push_back({.player = {played[i].seat}, .input = pads[i]});
    }
    fired_.clear();
    const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                        std::vector<engine::Strike>& out) {
      fired_.assign(rays.begin(), rays.end());
      out = strikes;
    };
    step({.leaves = {}, .joins = {}, .inputs = inputs, .judge = &judge});
  }

  void ticks(int count, const std::vector<Played>& played = {}) {
    for (; count > 0; --count) {
      tick(played);
    }
  }

  /// Moves a player's body to (x, y), in units from the origin, at rest.
  void put(std::uint16_t seat, std::int32_t x, std::int32_t y) {
    put_at(seat, {origin_.x + x * kUnit, origin_.y + y * kUnit});
  }

  void put_at(std::uint16_t seat, Vec2 place) {
    world_.change_body(row(seat), [&](sim::Body& body) {
      body.min = place;
      body.velocity = {};
    });
  }

  [[nodiscard]] engine::World& world() { return world_; }

  [[nodiscard]] Vec2 origin() const { return origin_; }

  [[nodiscard]] std::size_t row(std::uint16_t seat) const { return world_.avatar_of({seat}); }

  [[nodiscard]] BodyId id(std::uint16_t seat) const { return world_.id(row(seat)); }

  [[nodiscard]] Ref ref(std::uint16_t seat) const { return engine::ref_of(id(seat)); }

  [[nodiscard]] const sim::Body& box(std::uint16_t seat) const { return world_.body(row(seat)); }

  [[nodiscard]] std::int64_t points(std::uint16_t seat) const {
    return tests::field_value(arena().seat, world_.seat_state({seat}), "points");
  }

  void set_points(std::uint16_t seat, std::int64_t points) {
    engine::set_value(tests::field_of(arena().seat, "points"), 0, points,
                      world_.seat_state({seat}));
  }

  [[nodiscard]] std::size_t count(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.infos(),
        [&](const engine::RowInfo& info) { return arena().kinds[info.kind].type.name == kind; }));
  }

  /// The first row of a kind.
  [[nodiscard]] std::size_t first(std::string_view kind) const {
    std::size_t row = 0;
    while (world_.kind_of(row).type.name != kind) {
      ++row;
    }
    return row;
  }

  /// The rays that were fired in the last tick().
  [[nodiscard]] const std::vector<engine::FiredRay>& fired() const { return fired_; }

  [[nodiscard]] std::vector<SeenHit> hits() const {
    std::vector<SeenHit> hits;
    for (const engine::Emitted& emitted : report_->emitted) {
      const TypeInfo& type = arena().events[emitted.type];
      const ConstBytes hit = report_->event(type, emitted);
      hits.push_back({.shooter = tests::field_value(type, hit, "shooter"),
                      .victim = tests::field_value(type, hit, "victim")});
    }
    return hits;
  }

  /// The entities that were put elsewhere in the last tick.
  [[nodiscard]] std::vector<Ref> respawned() const {
    std::vector<Ref> respawned;
    for (const engine::Outcome& outcome : record_.outcomes) {
      if (outcome.kind == engine::OutcomeKind::Decided) respawned.push_back(outcome.ref);
    }
    return respawned;
  }

 private:
  engine::World world_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  const engine::TickReport* report_ = nullptr;
  std::vector<engine::FiredRay> fired_;
  Vec2 origin_;
};

}  // namespace tickbox::games
