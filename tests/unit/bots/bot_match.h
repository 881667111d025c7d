#pragma once
// A match of any game in which a bot plays each seat. Each bot sees the whole room as it is.

#include "bots/bot.h"
#include "engine/declared.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tickbox::tests {

/// Returns a style of a game by its name.
inline bots::Style style_named(const GameTable& game, std::string_view name) {
  return bots::parse_style(game, name).value();
}

/// Returns the values of a declared type, in the order of its fields.
inline std::vector<std::int64_t> values_of(const TypeInfo& type, ConstBytes bytes) {
  std::vector<std::int64_t> values;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      values.push_back(engine::value_of(field, i, bytes));
    }
  }
  return values;
}

struct BotMatchOptions {
  bots::Style style;
  std::uint64_t seed = 1;
  std::uint32_t tick_rate = 60;
  std::uint16_t players = 3;
  std::string_view map{};  ///< empty: the game's first
};

class BotMatch {
 public:
  BotMatch(const GameTable& game, const BotMatchOptions& options)
      : map_(engine::make_map(game, {.seats = options.players, .name = options.map},
                              options.tick_rate)),
        world_(game, map_, options.tick_rate, options.seed),
        view_(game),
        own_(game) {
    stepper_.open(world_);
    for (std::uint16_t seat = 0; seat < options.players; ++seat) {
      joins_.push_back({.player = {seat}, .user_data = {}});
      bots_.emplace_back(game, map_,
                         bots::BotOptions{.style = options.style,
                                          .seed = options.seed * 1'000 + seat,
                                          .tick_rate = options.tick_rate});
    }
  }

  void step() {
    const TypeInfo& type = world_.game().input;
    std::vector<engine::PlayerInput> inputs;
    view_.assign(world_);
    for (std::size_t seat = 0; seat < bots_.size(); ++seat) {
      const Player me{static_cast<std::uint16_t>(seat)};
      own_.clear();
      for (std::size_t row = 0; row < world_.size(); ++row) {
        if (world_.is_controlled_by(row, me)) own_.add(views::row_of(world_, row));
      }
      const ConstBytes input = bots_[seat].decide(
          {.tick = world_.tick + 1, .me = me, .view = view_, .own = own_, .room = world_.room()});
      inputs.push_back({.player = me, .input = input});
      given_.push_back(values_of(type, input));
      are_in_range_ = are_in_range_ && engine::is_in_range(type, input);
    }
    stepper_.step(world_, {.joins = joins_, .inputs = inputs}, record_);
    joins_.clear();
  }

  void run(std::uint32_t ticks) {
    for (std::uint32_t tick = 0; tick < ticks; ++tick) {
      step();
    }
  }

  [[nodiscard]] const engine::World& world() const { return world_; }

  /// Returns the values of all inputs so far: for each tick one of each bot.
  [[nodiscard]] const std::vector<std::vector<std::int64_t>>& given() const { return given_; }

  [[nodiscard]] bool are_in_range() const { return are_in_range_; }

 private:
  engine::SharedMap map_;
  engine::World world_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  std::vector<bots::Bot> bots_;
  std::vector<engine::Join> joins_;
  views::Rows view_;
  views::Rows own_;
  std::vector<std::vector<std::int64_t>> given_;
  bool are_in_range_ = true;
};

}  // namespace tickbox::tests
