#include "bots/bot.h"
#include "games/arena/arena.h"
#include "tests/support/menagerie.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::bots {
namespace {

std::string error_of(const GameTable& game, std::string_view text) {
  const auto style = parse_style(game, text);
  return style ? "none" : style.error();
}

/// Returns the names of the styles of the first clients of a mix.
std::string mixed(const GameTable& game, std::uint64_t clients) {
  std::string names;
  const Style mix{.kind = StyleKind::Mix, .name = "mix"};
  for (std::uint64_t number = 0; number < clients; ++number) {
    names += std::string{style_of(game, mix, number).name} + " ";
  }
  return names;
}

TEST(BotStyle, IsReadByItsName) {
  const GameTable& arena = games::arena();
  EXPECT_EQ(parse_style(arena, "wander")->kind, StyleKind::Wander);
  EXPECT_EQ(parse_style(arena, "still")->kind, StyleKind::Still);
  EXPECT_EQ(parse_style(arena, "stress")->kind, StyleKind::Stress);
  EXPECT_EQ(parse_style(arena, "mix")->kind, StyleKind::Mix);
  EXPECT_EQ(*parse_style(arena, "chase"), (Style{.kind = StyleKind::OfGame, .name = "chase"}));
  EXPECT_EQ(parse_style(tests::menagerie(), "bomb-pets")->kind, StyleKind::OfGame);
}

TEST(BotStyle, OfNoNameIsAnErrorThatListsThoseOfTheGame) {
  EXPECT_EQ(error_of(games::arena(), "wandr"),
            "unknown bot \"wandr\"; give wander, chase, still, stress or mix");
  EXPECT_EQ(error_of(tests::menagerie(), "chase"),
            "unknown bot \"chase\"; give wander, collect, bomb-pets, still, stress or mix");
  EXPECT_EQ(error_of(games::arena(), ""),
            "unknown bot \"\"; give wander, chase, still, stress or mix");
}

TEST(BotStyle, OfAMixGoesInTurn) {
  EXPECT_EQ(mixed(games::arena(), 5), "wander chase still stress wander ");
  EXPECT_EQ(mixed(tests::menagerie(), 6), "wander collect bomb-pets still stress wander ");
}

TEST(BotStyle, ThatIsNoMixIsTheSameForEveryClient) {
  const Style chase = *parse_style(games::arena(), "chase");
  EXPECT_EQ(style_of(games::arena(), chase, 0), chase);
  EXPECT_EQ(style_of(games::arena(), chase, 3), chase);
}

}  // namespace
}  // namespace tickbox::bots
