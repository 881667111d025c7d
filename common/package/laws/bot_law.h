#pragma once
// The law of bots: the same seed and the same views give the same inputs and commands, and a bot
// writes nothing but these and what it remembers.
//
// A bot of each style decides in each tick of a match. Then another bot with another seed decides,
// then a twin of the first bot, with the same seed and a copy of the view.

#include "bots/bot.h"
#include "engine/world.h"
#include "views/rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::laws {

class BotLaw {
 public:
  BotLaw(const GameTable& game, const engine::SharedMap& map, std::uint64_t seed,
         std::uint32_t tick_rate);

  /// Asks the bots for the inputs after a world's tick. Returns how one breaks the law, or nothing.
  std::optional<std::string> check(const engine::World& world);

 private:
  /// Bots of one style, for one player.
  struct Bots {
    bots::Style style;
    Player player;
    bots::Bot bot;
    bots::Bot twin;
    bots::Bot other;
  };

  /// A copy of what the bots see.
  struct View {
    views::Rows rows;
    views::Rows own;
    std::vector<std::byte> room;
  };

  void fill_view(const engine::World& world, Player player, View& view) const;
  [[nodiscard]] std::optional<std::string> check(const engine::World& world, Bots& bots);

  const GameTable& game_;
  std::vector<Bots> bots_;
  View seen_;
  View copy_;
};

}  // namespace tickbox::laws
