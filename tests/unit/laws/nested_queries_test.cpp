// A callback may query within a query.

#include "package/laws/laws.h"
#include "tests/unit/laws/law_options.h"
#include "tests/unit/laws/refused/game_of.h"

#include <gtest/gtest.h>

#include <optional>

namespace tickbox {
namespace {

struct Watcher {
  Int<0, 1'000'000> seen;
  TICKBOX_FIELDS(Watcher, seen)
};

/// Each watcher counts the pairs of watchers around it, and what a ray from each of them meets.
struct Watch : GameOf<Watcher> {
  static Body body(const Watcher&) { return {.size = {kUnit, kUnit}}; }

  static void join(Server<Watch>& server, Player who) {
    server.spawn_avatar(who, Watcher{}, {2 * kUnit * who.seat, 0});
  }

  static void act(Entity<Watcher> me, Step<Watch>& step) {
    const Vec2 size{8 * kUnit, kUnit};
    step.for_each_in<Watcher>(me.min, size, [&](const Entity<Watcher>& it) {
      const std::optional<RayHit> hit =
          step.raycast({.from = it.min, .way = {4 * kUnit, 0}, .ignores = it.ref});
      if (hit) ++me->seen;
      step.for_each_in<Watcher>(it.min, size, [&](const Entity<Watcher>&) { ++me->seen; });
    });
  }
};

// Before the fix, each tick allocated: an inner query had no list, and the outer one dropped it.
TEST(NestedQueries, ObeyTheLaws) {
  const GameTable& game = kGameTable<Watch>;
  const auto broken = laws::check_laws(
      game, {.matches = tests::law_matches(20), .allocations = tests::law_allocations()});
  EXPECT_FALSE(broken) << laws::to_text(game, *broken);
}

}  // namespace
}  // namespace tickbox
