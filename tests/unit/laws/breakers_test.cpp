// Games that break the laws are found, each by the law that it breaks.

#include "tests/unit/laws/breakers.h"

#include "laws/laws.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/laws/refused/game_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

struct Runner {
  TICKBOX_FIELDS(Runner)
};

/// Nothing calls opens(): the hook is open().
struct Misspelt : GameOf<Runner> {
  static void opens(Server<Misspelt>&) {}

  static void decide(Server<Misspelt>&) {}

  static void act(Entity<Runner>, Step<Misspelt>&) {}
};

// An author searched long for why the hook did not run.
TEST(LawBreakers, AMisspeltHookIsNotAmongThoseOfTheGame) {
  const laws::HookNames hooks = laws::hooks_of(kGameTable<Misspelt>);
  EXPECT_EQ(hooks.declared, (std::vector<std::string_view>{"act", "decide"}));
  EXPECT_EQ(std::ranges::count(hooks.others, "open"), 1);
  EXPECT_EQ(hooks.others.size(), 21U);
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
