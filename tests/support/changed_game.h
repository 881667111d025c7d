#pragma once
// A game with planted faults: a test changes a world in the middle of its steps, as faulty memory,
// a compiler bug or a missing cause would. If a server has this game, the room's world is wrong. If
// a client has it, its views and its prediction are.

#include "core/rng.h"
#include "engine/declared.h"
#include "engine/entity_id.h"
#include "engine/identity.h"
#include "engine/tick/running.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::tests {

/// A tick that runs. The test may change its world as no rule could.
class MidTick {
 public:
  explicit MidTick(detail::Running& running) : running_(running) {}

  [[nodiscard]] engine::World& world() const { return running_.world(); }

  [[nodiscard]] Tick tick() const { return world().tick; }

  /// Flips one bit of a field of an entity, if the world has the entity. The fields are those in
  /// engine::FieldDifference: x, y, vx, vy, those of the kind, and "input." with those of the
  /// input. A declared field stays in its range.
  void flip(BodyId id, std::string_view field, unsigned bit) const {
    constexpr std::string_view kInput = "input.";
    const std::size_t row = world().index_of(id);
    if (row == world().size()) return;
    if (field.starts_with(kInput)) {
      const MutableBytes input = world().input(std::as_const(world()).infos()[row].owner);
      flip_value(world().game().input, input, field.substr(kInput.size()), bit);
    } else if (!flip_place(row, field, bit)) {
      flip_value(world().kind_of(row).type, world().state(row), field, bit);
      world().update_body(row);
    }
    world().wake(row);
  }

  /// Removes an entity without a rule that does, if the world has it.
  void lose(BodyId id) const {
    const std::size_t row = world().index_of(id);
    if (row != world().size() && !running_.is_removed(row)) running_.rows().remove(row);
  }

 private:
  [[nodiscard]] bool flip_place(std::size_t row, std::string_view field, unsigned bit) const {
    const bool is_velocity = field == "vx" || field == "vy";
    if (!is_velocity && field != "x" && field != "y") return false;
    const std::size_t axis = field.back() == 'x' ? 0 : 1;
    world().change_body(row, [&](sim::Body& body) {
      std::int32_t& value = is_velocity ? body.velocity[axis] : body.min[axis];
      value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) ^ 1U << bit);
    });
    return true;
  }

  static void flip_value(const TypeInfo& type, MutableBytes bytes, std::string_view name,
                         unsigned bit) {
    for (const FieldInfo& field : type.fields()) {
      if (field.name != name) continue;
      std::int64_t flipped = engine::value_of(field, 0, bytes) ^ std::int64_t{1} << bit;
      if (!engine::is_in_range(field, flipped)) flipped = std::clamp(flipped, field.min, field.max);
      engine::set_value(field, 0, flipped, bytes);
    }
  }

  detail::Running& running_;
};

/// Called in each step of a world that has an entity which moves or acts. A client calls it for the
/// steps of its views and of its prediction, for some ticks more than once.
using ChangeTick = std::function<void(const MidTick& tick)>;

struct Changes {
  ChangeTick before = nullptr;  ///< players have their inputs, and no entity has acted
  ChangeTick after = nullptr;   ///< everything has moved; the server has not decided
};

/// The tables of both ends have the same hash: nothing is changed in the match of
/// engine::game_hash().
class ChangedGame : public GameTable {
 public:
  /// Borrows the game.
  ChangedGame(const GameTable& game, Changes changes)
      : GameTable(game),
        of_(game),
        changes_(std::move(changes)),
        own_kinds_(game.kinds.begin(), game.kinds.end()) {
    for (KindTable& kind : own_kinds_) {
      kind.act = &ChangedGame::act;
      kind.after = &ChangedGame::after;
    }
    kinds = own_kinds_;
  }

  ChangedGame(const ChangedGame&) = delete;
  ChangedGame& operator=(const ChangedGame&) = delete;

  /// Whether a world is of the match of engine::game_hash(), by its seed.
  [[nodiscard]] static bool is_trial(const engine::World& world) {
    return world.shared_seed == Rng{~engine::kTrialSeed}.next();
  }

 private:
  /// Opens what a callback is given.
  struct OpenStep : detail::AnyStep {
    explicit OpenStep(const detail::AnyStep& step) : detail::AnyStep(step) {}

    using detail::AnyStep::running;
  };

  /// Makes a change where the first entity of a tick is called, and returns the game itself.
  static const ChangedGame& changed(const detail::Row& row, const detail::AnyStep& step,
                                    ChangeTick Changes::* change) {
    detail::Running& running = OpenStep{step}.running();
    const engine::World& world = running.world();
    const auto& game = static_cast<const ChangedGame&>(world.game());
    const bool is_first = world.id(world.active_rows().front()).value == row.ref.id;
    if (is_first && game.changes_.*change && !is_trial(world)) {
      (game.changes_.*change)(MidTick{running});
    }
    return game;
  }

  [[nodiscard]] const KindTable& kind_of(const detail::Row& row,
                                         const detail::AnyStep& step) const {
    const engine::World& world = OpenStep{step}.running().world();
    return of_.kinds[world.infos()[world.index_of(engine::body_id(row.ref))].kind];
  }

  static void act(const detail::Row& row, const void* input, const detail::AnyStep& step) {
    const auto act = changed(row, step, &Changes::before).kind_of(row, step).act;
    if (act != nullptr) act(row, input, step);
  }

  static void after(const detail::Row& row, const detail::AnyStep& step) {
    const auto after = changed(row, step, &Changes::after).kind_of(row, step).after;
    if (after != nullptr) after(row, step);
  }

  const GameTable& of_;
  Changes changes_;
  std::vector<KindTable> own_kinds_;
};

}  // namespace tickbox::tests
