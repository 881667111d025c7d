// Games that break the laws are found, each by the law that it breaks.

#include "tests/unit/laws/breakers.h"

#include "package/laws/laws.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/laws/refused/game_of.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  EXPECT_EQ(hooks.declared,
            (std::vector<laws::HookUse>{{.name = "act", .kinds = {"Runner"}}, {.name = "decide"}}));
  EXPECT_EQ(std::ranges::count(hooks.others, "open"), 1);
  EXPECT_EQ(hooks.others.size(), 24U);
}

struct Stone {
  TICKBOX_FIELDS(Stone)
};

/// Nothing calls acts(), the contact() without a Contact, the predict() of an int, or the look()
/// that returns an int. Each of the hooks that they miss exists for another kind.
struct MisspeltForAKind : GameOf<Runner> {
  using Kinds = List<Runner, Stone>;

  static Body body(const Runner&) { return {}; }

  static Body body(const Stone&) { return {}; }

  static constexpr std::int32_t top_speed(const Runner&) { return 1; }

  static constexpr std::int32_t top_speed(const Stone&) { return 1; }

  static void act(Entity<Runner>, Step<MisspeltForAKind>&) {}

  static void acts(Entity<Stone>, Step<MisspeltForAKind>&) {}

  static void contact(Entity<Runner>, Entity<Runner>, Contact, Step<MisspeltForAKind>&) {}

  static void contact(Entity<Runner>, Entity<Stone>, Step<MisspeltForAKind>&) {}

  static constexpr Predict predict(const Runner&) { return Predict::Never; }

  static constexpr Predict predict(int) { return Predict::Never; }

  static Look look(const Stone&) { return {}; }

  static int look(const Runner&) { return 0; }
};

TEST(LawBreakers, AHookThatIsMisspeltForOneKindLacksThatKind) {
  const laws::HookNames hooks = laws::hooks_of(kGameTable<MisspeltForAKind>);
  EXPECT_EQ(hooks.declared,
            (std::vector<laws::HookUse>{{.name = "act", .kinds = {"Runner"}},
                                        {.name = "contact", .kinds = {"Runner with Runner"}},
                                        {.name = "predict", .kinds = {"Runner"}},
                                        {.name = "look", .kinds = {"Stone"}}}));
}

/// Its rules change once, after a number of calls, whatever law is checked then.
struct Tired : GameOf<Runner> {
  static inline int calls = 0;
  static inline int tired_after = 0;

  static void act(Entity<Runner> me, Step<Tired>&) {
    me.velocity.x = ++calls > tired_after ? 1 : 0;
  }

  static Empty significant(Empty input, const Runner&) { return input; }

  static void join(Server<Tired>& server, Player who) { server.spawn_avatar(who, Runner{}, {}); }
};

// Before the fix, the law "significant" reported such a fault, and an author looked for it there.
TEST(LawBreakers, AStaticVariableIsNotBlamedOnSignificantInputs) {
  std::size_t found = 0;
  for (Tired::tired_after = 0; Tired::tired_after < 600; ++Tired::tired_after) {
    Tired::calls = 0;
    const auto broken = laws::check_laws(
        kGameTable<Tired>, {.matches = 1, .ticks = 30, .seats = 1, .tick_rates = {10}});
    if (!broken) continue;
    ++found;
    ASSERT_NE(broken->law, "significant") << Tired::tired_after << ": " << broken->what;
  }
  EXPECT_GT(found, 50U);
}

struct Rest {
  TICKBOX_FIELDS(Rest)
};

struct Cheer {
  TICKBOX_FIELDS(Cheer)
};

/// Decides an outcome for both kinds. kApplies: the kinds for which it has apply().
template <class... kApplies>
struct Resting : GameOf<Runner> {
  using Kinds = List<Runner, Stone>;
  using Outcomes = List<Rest>;
  using Events = List<Rest, Cheer>;
  using Results = List<Rest, Cheer>;
  using OfServer = Server<Resting>;

  static Body body(const auto&) { return {.motion = Motion::Fixed}; }

  static constexpr std::int32_t top_speed(const auto&) { return 0; }

  static void open(OfServer& server) { server.spawn(Stone{}, {}); }

  static void join(OfServer& server, Player who) { server.spawn_avatar(who, Runner{}, {kUnit, 0}); }

  template <class Kind>
    requires(std::same_as<Kind, kApplies> || ...)
  static void apply(Entity<Kind> me, const Rest&, Step<Resting>& step) {
    step.emit(me.ref, Cheer{});
  }

  static void decide(OfServer& server) {
    server.template for_each<Runner>([&](const auto& it) { server.decide(it.ref, Rest{}); });
    server.template for_each<Stone>([&](const auto& it) { server.decide(it.ref, Rest{}); });
    server.decide(Ref{}, Rest{});  // for nobody: allowed
    server.publish_result(Cheer{});
  }
};

// A deleted apply() left its decide() behind: it compiled, and the decision did nothing.
TEST(LawBreakers, ADecisionThatMeetsNoApplyIsFoundWithKindAndOutcome) {
  EXPECT_FALSE(laws::check_laws(kGameTable<Resting<Runner, Stone>>, {.matches = 2}));
  for (const auto& [game, kind] : {std::pair{&kGameTable<Resting<Runner>>, "Stone"},
                                   {&kGameTable<Resting<Stone>>, "Runner"}}) {
    const auto broken = laws::check_laws(*game, {.matches = 2});
    ASSERT_TRUE(broken) << kind;
    EXPECT_EQ(broken->law, "decision");
    EXPECT_EQ(broken->what,
              "the server decides Rest for an entity of the kind " + std::string{kind} +
                  ", and the game has no apply(Entity<" + kind +
                  ">, const Rest&, Step<Game>&): the decision does nothing. Add it, or decide Rest "
                  "for other kinds alone");
  }
}

TEST(LawBreakers, EventsAndResultsThatAreNeverSentAreCountedAsHooksAre) {
  const GameTable& game = kGameTable<Resting<Runner, Stone>>;
  std::vector<laws::MapCalls> maps;
  ASSERT_FALSE(laws::check_laws(game, {.matches = 2, .calls = &maps}));
  std::vector<std::string> never;
  for (const laws::CallbackUse& use : laws::callbacks_of(game)) {
    if (maps.at(0).counts.of(use.which) == 0) never.push_back(use.name);
  }
  EXPECT_EQ(never, (std::vector<std::string>{"emit (Rest)", "publish_result (Rest)"}));
}

TEST(LawBreakers, AreFoundByTheLawThatEachBreaks) {
  const std::vector<std::pair<const GameTable*, std::string_view>> breakers{
      {&tests::tag<Fault::None>(), "none"},
      {&tests::tag<Fault::StaticCounter>(), "memory"},
      {&tests::tag<Fault::CachedArray>(), "memory"},
      {&tests::tag<Fault::AddressOrder>(), "twin"},
      {&tests::tag<Fault::PassedOn>(), "closure"},
      {&tests::tag<Fault::LyingSignificant>(), "significant"},
      {&tests::tag<Fault::WritingDecide>(), "twin"},
      {&tests::tag<Fault::CountingBot>(), "bot"},
      {&tests::tag<Fault::WritingBot>(), "bot"}};
  for (const auto& [game, law] : breakers) {
    EXPECT_EQ(law_broken_by(*game), law);
  }
  // AddressSanitizer ends the process at such a reference.
  if (tests::kHasSanitizer) return;
  EXPECT_NE(law_broken_by(tests::tag<Fault::KeptReference>()), "none");
}

}  // namespace
}  // namespace tickbox
