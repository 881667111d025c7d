#include "client/player.h"

#include <memory>
#include <utility>
#include <vector>

namespace tickbox::client {

MakePlayer bot_player(std::string style, std::uint64_t number, std::uint64_t seed) {
  return [style = std::move(style), number,
          seed](const engine::GameOnMap& assets) -> std::expected<Decide, std::string> {
    const auto parsed = bots::parse_style(*assets.game, style);
    if (!parsed) {
      return std::unexpected{"the server plays " + std::string{assets.game->name} + ": " +
                             parsed.error()};
    }
    auto bot = std::make_shared<bots::Bot>(
        *assets.game, assets.map,
        bots::BotOptions{.style = bots::style_of(*assets.game, *parsed, number),
                         .seed = seed,
                         .tick_rate = assets.tick_rate});
    return [bot, commands = std::vector<bots::PlayerCommand>{}](const bots::Seen& seen) mutable {
      const ConstBytes input = bot->decide(seen);
      commands.clear();
      if (const auto command = bot->command()) commands.push_back(*command);
      return Decision{input, commands};
    };
  };
}

}  // namespace tickbox::client
