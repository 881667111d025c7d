#include "games/platformer/platformer.h"
#include "package/laws/laws.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(PlatformerLaws, AreObeyed) {
  const auto broken = laws::check_laws(
      games::platformer(),
      {.matches = tests::law_matches(30), .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(games::platformer(), *broken);
}

}  // namespace
}  // namespace tickbox
