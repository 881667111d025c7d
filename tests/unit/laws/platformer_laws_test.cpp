#include "games/platformer/platformer.h"
#include "laws/laws.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tickbox {
namespace {

TEST(PlatformerLaws, AreObeyed) {
  for (const std::string_view map : games::platformer().maps) {
    const auto broken = laws::check_laws(
        games::platformer(),
        {.matches = tests::law_matches(100), .map = map, .allocations = tests::law_allocations()});
    EXPECT_FALSE(broken) << map << ": " << laws::to_text(games::platformer(), *broken);
  }
}

}  // namespace
}  // namespace tickbox
