#pragma once
// A match of any game. A test puts its entities and moves its players; it names kinds and fields.

#include "engine/declared.h"
#include "engine/log/words.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "tests/support/declared_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::games {

using Values = std::vector<tests::NamedValue>;

struct PlayedInput {
  std::uint16_t seat = 0;
  Values values;
};

class PlayedMatch {
 public:
  explicit PlayedMatch(const GameTable& game, std::uint32_t seats = 4, std::uint32_t rate = 60,
                       std::uint64_t seed = 1, std::string_view map = {})
      : game_(game),
        world_(game, engine::make_map(game, {.seats = seats, .name = map}, rate), rate, seed) {
    stepper_.open(world_);
  }

  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<engine::Join> joins;
    joins.reserve(seats.size());
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    step({.joins = joins});
  }

  /// Joins with a client that has left in a tick.
  void come_back(std::uint16_t seat, Tick has_left_at) {
    const engine::Join join{.player = {seat}, .user_data = {}, .has_left_at = has_left_at};
    step({.joins = {&join, 1}});
  }

  void leave(std::uint16_t seat) {
    const Player leaves{seat};
    step({.leaves = {&leaves, 1}});
  }

  void command(std::uint16_t seat, const Values& values) {
    const std::vector<std::byte> bytes = tests::value_with(game_.commands[0].type, values);
    const engine::Command command{.player = {seat}, .type = 0, .bytes = bytes};
    step({.commands = {&command, 1}});
  }

  /// A player holds its input until another comes. `judge` says whom its rays strike.
  void tick(const std::vector<PlayedInput>& played = {}, const engine::JudgeRays* judge = nullptr) {
    std::vector<std::vector<std::byte>> values;
    values.reserve(played.size());
    for (const PlayedInput& each : played) {
      values.push_back(tests::value_with(game_.input, each.values));
    }
    std::vector<engine::PlayerInput> inputs;
    inputs.reserve(played.size());
    for (std::size_t i = 0; i < played.size(); ++i) {
      inputs.push_back({.player = {played[i].seat}, .input = values[i]});
    }
    step({.inputs = inputs, .judge = judge});
  }

  void ticks(int count, const std::vector<PlayedInput>& played = {}) {
    for (; count > 0; --count) {
      tick(played);
    }
  }

  [[nodiscard]] const engine::World& world() const { return world_; }

  [[nodiscard]] const engine::TickReport& report() const { return *report_; }

  /// The row of a player's first entity, or size().
  [[nodiscard]] std::size_t row(std::uint16_t seat) const { return world_.avatar_of({seat}); }

  [[nodiscard]] const sim::Body& box(std::size_t row) const { return world_.body(row); }

  [[nodiscard]] std::size_t count(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        world_.infos(),
        [&](const engine::RowInfo& info) { return game_.kinds[info.kind].type.name == kind; }));
  }

  /// The first row of a kind, or size().
  [[nodiscard]] std::size_t first(std::string_view kind) const {
    std::size_t row = 0;
    while (row < world_.size() && world_.kind_of(row).type.name != kind) {
      ++row;
    }
    return row;
  }

  /// Teleports an entity, as rules do.
  void put(std::size_t row, Vec2 min, Vec2 velocity = {}) {
    world_.change_body(row, [&](sim::Body& body) {
      body.min = min;
      body.velocity = velocity;
    });
    world_.make_new(row);
  }

  void set(std::size_t row, std::string_view field, std::int64_t value) {
    engine::set_value(tests::field_of(world_.kind_of(row).type, field), 0, value,
                      world_.state(row));
    world_.update_body(row);
  }

  [[nodiscard]] std::int64_t value(std::size_t row, std::string_view field) const {
    return tests::field_value(world_.kind_of(row).type, world_.state(row), field);
  }

  [[nodiscard]] std::int64_t seat_value(std::uint16_t seat, std::string_view field) const {
    return tests::field_value(game_.seat, world_.seat_state({seat}), field);
  }

  void set_seat_value(std::uint16_t seat, std::string_view field, std::int64_t value) {
    engine::set_value(tests::field_of(game_.seat, field), 0, value, world_.seat_state({seat}));
  }

  [[nodiscard]] std::int64_t room_value(std::string_view field) const {
    return tests::field_value(game_.room, world_.room(), field);
  }

  [[nodiscard]] MapObjects objects(std::string_view kind) const {
    return engine::objects_of(*world_.map(), kind);
  }

  /// The events of a type in the last tick.
  [[nodiscard]] std::size_t events(std::string_view type) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        report_->emitted,
        [&](const engine::Emitted& emitted) { return game_.events[emitted.type].name == type; }));
  }

  /// The results that were published in the last tick, as JSON.
  [[nodiscard]] std::vector<std::string> results() const {
    std::vector<std::string> found;
    for (const engine::Outcome& outcome : record_.outcomes) {
      if (outcome.kind != engine::OutcomeKind::Published) continue;
      found.push_back(engine::value_json(game_.results[outcome.type], record_.bytes_of(outcome)));
    }
    return found;
  }

  [[nodiscard]] const engine::TickRecord& record() const { return record_; }

 private:
  void step(const engine::TickRequest& request) {
    report_ = &stepper_.step(world_, request, record_);
  }

  const GameTable& game_;
  engine::World world_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  const engine::TickReport* report_ = nullptr;
};

}  // namespace tickbox::games
