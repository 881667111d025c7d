#include "games/bomber/bomber.h"
#include "package/laws/laws.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(BomberLaws, AreObeyed) {
  const auto broken = laws::check_laws(games::bomber(), {.matches = tests::law_matches(20),
                                                         .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(games::bomber(), *broken);
}

}  // namespace
}  // namespace tickbox
