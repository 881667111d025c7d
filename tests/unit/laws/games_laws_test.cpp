// The laws on each game.

#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "games/platformer/platformer.h"
#include "package/laws/laws.h"
#include "tests/support/menagerie.h"
#include "tests/support/short_match.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tickbox {
namespace {

struct Played {
  const GameTable& (*game)();
  std::uint32_t matches;
};

class GamesLaws : public testing::TestWithParam<Played> {};

TEST_P(GamesLaws, AreObeyed) {
  const GameTable& game = GetParam().game();
  const auto broken = laws::check_laws(game, {.matches = tests::law_matches(GetParam().matches),
                                              .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(game, *broken);
}

INSTANTIATE_TEST_SUITE_P(All, GamesLaws,
                         testing::Values(Played{&games::arena, 60}, Played{&games::platformer, 30},
                                         Played{&games::bomber, 20}, Played{&tests::menagerie, 20},
                                         Played{&tests::short_match, 20}),
                         [](const auto& of) { return std::string{of.param.game().name}; });

}  // namespace
}  // namespace tickbox
