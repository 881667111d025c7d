#include "games/arena/arena.h"
#include "package/laws/laws.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(ArenaLaws, AreObeyed) {
  const auto broken = laws::check_laws(
      games::arena(), {.matches = tests::law_matches(60), .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(games::arena(), *broken);
}

}  // namespace
}  // namespace tickbox
