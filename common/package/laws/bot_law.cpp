#include "package/laws/bot_law.h"

#include "engine/declared.h"

#include <cstddef>

namespace tickbox::laws {
namespace {

bool are_equal(const views::Rows& a, const views::Rows& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (!views::are_equal(a.game(), a.row(row), b.row(row))) return false;
  }
  return true;
}

bool is_in_range(const GameTable& game, const std::optional<bots::PlayerCommand>& command) {
  return !command || engine::is_in_range(game.commands[command->type].type, command->value);
}

bool are_equal(const GameTable& game, const std::optional<bots::PlayerCommand>& a,
               const std::optional<bots::PlayerCommand>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->type == b->type && engine::are_equal(game.commands[a->type].type, a->value, b->value);
}

}  // namespace

BotLaw::BotLaw(const GameTable& game, const engine::SharedMap& map, std::uint64_t seed,
               std::uint32_t tick_rate)
    : game_(game) {
  for (const bots::Style& style : bots::styles_of(game)) {
    const bots::BotOptions options{.style = style, .seed = seed, .tick_rate = tick_rate};
    const bots::BotOptions others{.style = style, .seed = ~seed, .tick_rate = tick_rate};
    bots_.push_back({.style = style,
                     .player = {static_cast<std::uint16_t>(bots_.size() % map->seats)},
                     .bot = {game, map, options},
                     .twin = {game, map, options},
                     .other = {game, map, others}});
  }
}

std::optional<std::string> BotLaw::check(const engine::World& world) {
  for (Bots& bots : bots_) {
    if (auto broken = check(world, bots)) {
      return "the bot \"" + std::string{bots.style.name} + "\" " + *broken;
    }
  }
  return std::nullopt;
}

void BotLaw::fill_view(const engine::World& world, Player player, View& view) const {
  view.rows.assign(world);
  view.own.begin(game_);
  for (std::size_t row = 0; row < world.size(); ++row) {
    if (world.is_controlled_by(row, player)) view.own.add(views::row_of(world, row));
  }
  view.room.assign(world.room().begin(), world.room().end());
}

std::optional<std::string> BotLaw::check(const engine::World& world, Bots& bots) {
  fill_view(world, bots.player, seen_);
  fill_view(world, bots.player, copy_);
  const auto seen_in = [&](const View& view) {
    return bots::Seen{.tick = world.tick + 1,
                      .me = bots.player,
                      .view = view.rows,
                      .own = view.own,
                      .room = view.room};
  };
  const ConstBytes input = bots.bot.decide(seen_in(seen_));
  if (!are_equal(seen_.rows, copy_.rows) || !are_equal(seen_.own, copy_.own)) {
    return "writes what it sees. It may write its BotState alone";
  }
  if (!engine::is_in_range(game_.input, input) ||
      !engine::is_in_range(game_.bot.state, bots.bot.memory()) ||
      !is_in_range(game_, bots.bot.command())) {
    return "gives, sends or remembers a value that is not in its range";
  }
  static_cast<void>(bots.other.decide(seen_in(seen_)));
  const ConstBytes twins = bots.twin.decide(seen_in(copy_));
  std::string names = engine::difference(game_.input, input, twins);
  if (!names.empty()) {
    return "gives another " + names + " for the same seed and views. Look for a static variable";
  }
  if (!are_equal(game_, bots.bot.command(), bots.twin.command())) {
    return "sends another command for the same seed and views. Look for a static variable";
  }
  names = engine::difference(game_.bot.state, bots.bot.memory(), bots.twin.memory());
  if (!names.empty()) {
    return "remembers another " + names +
           " for the same seed and views. Look for a static variable";
  }
  return std::nullopt;
}

}  // namespace tickbox::laws
