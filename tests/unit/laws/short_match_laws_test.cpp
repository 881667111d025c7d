#include "package/laws/laws.h"
#include "tests/support/short_match.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(ShortMatchLaws, AreObeyed) {
  const auto broken = laws::check_laws(
      tests::short_match(),
      {.matches = tests::law_matches(20), .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(tests::short_match(), *broken);
}

}  // namespace
}  // namespace tickbox
