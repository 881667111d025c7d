// The laws on a game that uses nearly every part of the interface.

#include "package/laws/laws.h"
#include "tests/support/menagerie.h"
#include "tests/unit/laws/law_options.h"

#include <gtest/gtest.h>

namespace tickbox {
namespace {

TEST(MenagerieLaws, AreObeyed) {
  const auto broken = laws::check_laws(
      tests::menagerie(),
      {.matches = tests::law_matches(20), .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(tests::menagerie(), *broken);
}

}  // namespace
}  // namespace tickbox
