// Games that break the laws are found, each by the law that it breaks.

#include "tests/unit/laws/breakers.h"

#include "laws/laws.h"
#include "tests/support/sanitizers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <optional>
#include <string>

namespace tickbox {
namespace {

using tests::Fault;

/// Returns the law that a game breaks, or "none".
std::string law_broken_by(const GameTable& game) {
  const std::optional<laws::LawBroken> broken = laws::check_laws(game, {.matches = 30});
  if (!broken) return "none";
  std::printf("%s\n", laws::to_text(game, *broken).c_str());
  return broken->law;
}

TEST(LawBreakers, AGameWithoutAFaultObeysTheLaws) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::None>()), "none");
}

TEST(LawBreakers, AStaticCounterIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::StaticCounter>()), "memory");
}

TEST(LawBreakers, AStaticArrayIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::CachedArray>()), "memory");
}

TEST(LawBreakers, AComparisonOfAddressesIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::AddressOrder>()), "twin");
}

TEST(LawBreakers, AReferenceFromTheLastTickIsFound) {
  // AddressSanitizer ends the process at such a reference.
  if (tests::kHasSanitizer) return;
  EXPECT_NE(law_broken_by(tests::tag<Fault::KeptReference>()), "none");
}

TEST(LawBreakers, ASignificantInputThatMissesAnEffectIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::LyingSignificant>()), "significant");
}

TEST(LawBreakers, ADecisionThatWritesAnEntityIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::WritingDecide>()), "twin");
}

TEST(LawBreakers, ABotThatCountsItsCallsIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::CountingBot>()), "bot");
}

TEST(LawBreakers, ABotThatWritesWhatItSeesIsFound) {
  EXPECT_EQ(law_broken_by(tests::tag<Fault::WritingBot>()), "bot");
}

}  // namespace
}  // namespace tickbox
