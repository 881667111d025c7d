// What clients show, against what the server knew: others where they truly were at the moment that
// is shown, the own body without a jump that is no teleport, and time that never goes back.

#include "core/tick_ring.h"
#include "tests/support/harness.h"
#include "views/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace tickbox::tests::presentation_test {
namespace {

using client::ClientStats;
using client::Origin;
using client::PresentedBody;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 8;
/// No divisor of a tick: looks fall anywhere in it.
constexpr Duration kLook = milliseconds{7};

double units(std::int64_t sub_units) {
  return static_cast<double>(sub_units) / kUnit;
}

/// Where everybody truly was in the last ticks.
class Truth {
 public:
  void remember(const engine::World& world) {
    if (past_.find(world.tick) == nullptr) past_.insert(world.tick).assign(world);
  }

  [[nodiscard]] std::optional<Vec2> place(BodyId id, Tick tick) const {
    const views::Rows* past = past_.find(tick);
    if (past == nullptr || !past->contains(id)) return std::nullopt;
    return past->head(past->index_of(id)).min;
  }

  /// Whether a body was teleported in the last `ticks` ticks up to `tick`. Nobody walks a unit in
  /// one tick.
  [[nodiscard]] bool was_placed(BodyId id, Tick tick, std::uint32_t ticks) const {
    for (std::uint32_t ago = 0; ago < ticks; ++ago) {
      const auto is = place(id, {tick.value - ago});
      const auto was = place(id, {tick.value - ago - 1});
      if (is && was && axis_distance(*is, *was) > kUnit) return true;
    }
    return false;
  }

 private:
  TickRing<views::Rows, 256> past_;
};

/// Places of others that were shown.
struct Places {
  std::uint64_t count = 0;
  std::uint64_t off = 0;      ///< not on the way that they truly went
  std::int64_t off_most = 0;  ///< sub-units
};

/// What was seen of one client's presentation.
struct Seen {
  std::uint64_t looks = 0;
  std::uint64_t extrapolated = 0;
  std::uint64_t backwards = 0;  ///< looks at a tick before that of the look before
  Places told;
  Places guessed;
  std::int64_t own_step_most = 0;  ///< sub-units from look to look, unless the body was teleported
  std::uint64_t own_placed = 0;    ///< looks not long after a teleport
};

/// Looks at the presentation of client 0.
class Spectator {
 public:
  explicit Spectator(Harness& harness) : harness_(harness) {}

  /// Lets time pass. Looks every `look`, or never if it has no value.
  void run(Duration duration, std::optional<Duration> look = {}) {
    for (Duration passed{}; passed < duration; passed += milliseconds{1}) {
      harness_.run_for(milliseconds{1});
      truth_.remember(harness_.world());
      if (look && passed % *look == Duration::zero()) look_at();
    }
  }

  [[nodiscard]] const Seen& seen() const { return seen_; }

  void forget() { seen_ = {}; }

 private:
  /// Ticks between two views at most, where few are lost.
  static constexpr std::uint32_t kUntold = 12;

  void look_at() {
    const std::span<const PresentedBody> shown = harness_.shown(0);
    const Tick tick = harness_.client(0).shown_tick(harness_.clock().now());
    ++seen_.looks;
    seen_.backwards += tick < looked_at_ ? 1U : 0U;
    looked_at_ = tick;
    const auto is_guess = [](const PresentedBody& each) {
      return each.origin == Origin::Extrapolated;
    };
    seen_.extrapolated += std::ranges::any_of(shown, is_guess) ? 1U : 0U;
    for (const PresentedBody& each : shown) {
      if (each.origin == Origin::Own) {
        look_at_own(each);
      } else {
        judge(each, tick, is_guess(each) ? seen_.guessed : seen_.told);
      }
    }
  }

  void judge(const PresentedBody& shown, Tick tick, Places& places) const {
    ++places.count;
    const auto by = off(shown, tick);
    // Of a body that came in full no client knows in which tick it was teleported.
    if (!by || truth_.was_placed(shown.id, tick + kUntold, 2 * kUntold + 1)) return;
    places.off += *by > 1 ? 1U : 0U;
    places.off_most = std::max(places.off_most, *by);
  }

  /// Returns how far a shown body is from its true way: from its place at the tick half of the way
  /// to its places a tick before and a tick after. Nothing if the room did not have it at that
  /// tick, such as a bullet that has hit something.
  [[nodiscard]] std::optional<std::int64_t> off(const PresentedBody& shown, Tick tick) const {
    const auto at = truth_.place(shown.id, tick);
    if (!at) return std::nullopt;
    const Vec2 before = truth_.place(shown.id, {tick.value - 1}).value_or(*at);
    const Vec2 after = truth_.place(shown.id, tick + 1).value_or(*at);
    return std::min(off_way(shown.min, *at, before), off_way(shown.min, *at, after));
  }

  /// From the straight way between `at` and the middle of `at` and `beside`.
  static std::int64_t off_way(Vec2 shown, Vec2 at, Vec2 beside) {
    constexpr std::int64_t kParts = 64;
    std::int64_t least = axis_distance(shown, at);
    for (std::int64_t part = 1; part <= kParts; ++part) {
      const auto along = [&](std::int32_t from, std::int32_t to) {
        return static_cast<std::int32_t>(from + (std::int64_t{to} - from) * part / (2 * kParts));
      };
      least = std::min(
          least, axis_distance(shown, {.x = along(at.x, beside.x), .y = along(at.y, beside.y)}));
    }
    // Between two of the points it is no further from the nearer one than half of their distance.
    // The whole distance is allowed.
    return std::max<std::int64_t>(0, least - axis_distance(at, beside) / (2 * kParts));
  }

  void look_at_own(const PresentedBody& own) {
    const Tick now = harness_.world().tick;
    const bool was_placed = truth_.was_placed(own.id, now, 40);
    seen_.own_placed += was_placed ? 1U : 0U;
    if (own_ && !was_placed) {
      seen_.own_step_most = std::max(seen_.own_step_most, axis_distance(*own_, own.min));
    }
    own_ = own.min;
  }

  Harness& harness_;
  Truth truth_;
  Seen seen_;
  Tick looked_at_;
  std::optional<Vec2> own_;
};

double share(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

net::LinkConditions link_of(Duration one_way) {
  return {.delay = one_way, .jitter = milliseconds{8}, .loss_ppm = 50'000};
}

/// Eight clients that have been playing for three seconds.
class PresentationTest {
 public:
  explicit PresentationTest(const HarnessOptions& options) : harness(options) {
    for (std::size_t i = 0; i < kClients; ++i) {
      harness.add_client();
    }
    spectator.run(seconds{3});
  }

  const Seen& watch(Duration duration) {
    spectator.run(duration, kLook);
    return spectator.seen();
  }

  [[nodiscard]] ClientStats stats() const { return harness.client(0).stats(); }

  Harness harness;
  Spectator spectator{harness};
};

// Every player has a new input in nearly every tick, so a client can derive nothing by itself. What
// it shows comes from snapshots.
TEST(Presentation, ShowsOthersWhereTheyTrulyWere) {
  for (const Duration one_way : {milliseconds{40}, milliseconds{75}}) {
    SCOPED_TRACE(testing::Message() << one_way.count() << " ns one way");
    PresentationTest test{{.seed = 5, .link = link_of(one_way), .bot = "stress"}};
    const Seen& seen = test.watch(seconds{30});
    EXPECT_GT(seen.looks, 4'000U);
    EXPECT_GT(seen.told.count, 40'000U);
    // A body that met an unseen one comes in full. It is shown on a straight line from the last
    // place that the client knew.
    EXPECT_LT(share(seen.told.off, seen.told.count), 0.04);
    EXPECT_LT(units(seen.told.off_most), 0.5);
    EXPECT_LT(share(seen.extrapolated, seen.looks), 0.02);
    EXPECT_EQ(seen.backwards, 0U);
    const ClientStats stats = test.stats();
    EXPECT_LT(stats.presentation_delay / stats.ticks_shown, 45'000U) << "microseconds";
  }
}

// The bots run straight on for a second. So most of the time there is no news, the server keeps
// silent, and clients know by themselves what happens.
TEST(Presentation, ShowsAQuietStretchAsItIs) {
  for (const Duration one_way : {milliseconds{1}, milliseconds{40}, milliseconds{75}}) {
    SCOPED_TRACE(testing::Message() << one_way.count() << " ns one way");
    PresentationTest test{{.seed = 3, .link = link_of(one_way), .bot = "wander"}};
    const Seen& seen = test.watch(seconds{30});
    EXPECT_GT(share(seen.extrapolated, seen.looks), 0.2);
    EXPECT_GT(seen.guessed.count, 4'000U);
    EXPECT_LT(share(seen.guessed.off, seen.guessed.count), 0.001);
    EXPECT_LT(share(seen.told.off, seen.told.count), 0.0015);
    EXPECT_EQ(seen.backwards, 0U);
    const ClientStats stats = test.stats();
    EXPECT_LT(share(stats.ticks_extrapolated_wrong, stats.ticks_shown), 0.01);
    EXPECT_LT(stats.presentation_delay / stats.ticks_shown, 45'000U)
        << "silence is no reason to wait";
  }
}

TEST(Presentation, IsAsTrueWhereSnapshotsAreRare) {
  for (const std::uint32_t rate : {20U, 30U}) {
    SCOPED_TRACE(testing::Message() << rate << " snapshots per second");
    PresentationTest test{
        {.seed = 3, .snapshot_rate = rate, .link = link_of(milliseconds{40}), .bot = "mix"}};
    const Seen& seen = test.watch(seconds{30});
    EXPECT_LT(share(seen.told.off, seen.told.count), 0.03) << "though every tick is shown";
    EXPECT_LT(units(seen.told.off_most), 0.5);
    EXPECT_EQ(seen.backwards, 0U);
    const ClientStats stats = test.stats();
    const std::uint64_t two_intervals = 2'000'000 / rate;
    EXPECT_GE(stats.presentation_delay / stats.ticks_shown, two_intervals * 95 / 100)
        << "microseconds";
    EXPECT_LE(stats.presentation_delay / stats.ticks_shown, two_intervals * 110 / 100);
    EXPECT_LT(share(stats.ticks_extrapolated_wrong, stats.ticks_shown), 0.01);
  }
}

// Others push and shoot the own body, and inputs get lost, so its prediction is corrected all the
// time.
TEST(Presentation, MovesTheOwnBodyWithoutAJump) {
  std::uint64_t placed = 0;
  std::uint64_t corrected = 0;
  for (const std::uint64_t seed : {3U, 4U, 5U}) {
    for (const char* bot : {"stress", "wander", "mix"}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " bot " << bot);
      PresentationTest test{{.seed = seed, .link = link_of(milliseconds{75}), .bot = bot}};
      const Seen& seen = test.watch(seconds{20});
      EXPECT_LT(units(seen.own_step_most), 0.25) << "it runs 0.06 from look to look";
      placed += seen.own_placed;
      corrected += test.stats().corrected;
    }
  }
  EXPECT_GT(placed, 0U);
  EXPECT_GT(corrected, 100U);
}

// A link goes down. The others go on for a quarter of a second, and then stand still. When the link
// is up again, they are shown where they are, and do not glide there.
TEST(Presentation, StandsStillWhenNothingComes) {
  PresentationTest test{{.seed = 6, .link = link_of(milliseconds{40}), .bot = "stress"}};
  test.watch(seconds{1});
  test.harness.network().cut(0);
  test.watch(milliseconds{400});
  const auto others_shown = [&] {
    const std::span<const PresentedBody> shown = test.harness.shown(0);
    std::vector<PresentedBody> others{shown.begin(), shown.end()};
    std::erase_if(others, [](const PresentedBody& each) { return each.origin == Origin::Own; });
    return others;
  };
  const std::vector<PresentedBody> stand = others_shown();
  const Tick stopped = test.harness.client(0).shown_tick(test.harness.clock().now());
  EXPECT_FALSE(stand.empty());
  test.watch(milliseconds{1'600});
  EXPECT_EQ(others_shown(), stand);
  EXPECT_EQ(test.harness.client(0).shown_tick(test.harness.clock().now()), stopped);

  // A client that was silent is sent a snapshot a second.
  test.harness.network().mend(0);
  test.watch(milliseconds{1'500});
  test.spectator.forget();
  const Seen& seen = test.watch(seconds{5});
  EXPECT_EQ(seen.backwards, 0U);
  EXPECT_LT(share(seen.told.off, seen.told.count), 0.04);
  EXPECT_LT(units(seen.told.off_most), 0.5);
  EXPECT_LT(share(seen.extrapolated, seen.looks), 0.03);
}

// The client is polled by a loop that ignores when the client asks to be polled.
TEST(Presentation, WorksInLoopsThatTurnRarelyAndOften) {
  for (const Duration turn : {milliseconds{100}, milliseconds{1}}) {
    SCOPED_TRACE(testing::Message() << turn.count() << " ns a turn");
    PresentationTest test{
        {.seed = 8, .link = {.delay = milliseconds{20}, .jitter = milliseconds{4}}, .bot = "mix"}};
    test.harness.poll_every(0, turn);
    test.spectator.run(seconds{10});
    const ClientStats settled = test.stats();
    test.spectator.run(seconds{20}, std::max<Duration>(turn, kLook));
    const ClientStats stats = test.stats();
    EXPECT_GT(stats.hashes_checked - settled.hashes_checked, 300U);
    EXPECT_EQ(stats.hashes_mismatched, 0U);
    EXPECT_GE(stats.ticks - settled.ticks, 1'190U);
    EXPECT_LE(stats.inputs_substituted - settled.inputs_substituted, 12U) << "of 1,200";
    const Seen& seen = test.spectator.seen();
    EXPECT_EQ(seen.backwards, 0U);
    EXPECT_LT(share(seen.told.off, seen.told.count), 0.001);
    EXPECT_LT(share(stats.ticks_extrapolated_wrong - settled.ticks_extrapolated_wrong, 1'200),
              0.005);
    const std::uint64_t delay = (stats.presentation_delay - settled.presentation_delay) /
                                (stats.ticks_shown - settled.ticks_shown);
    const auto turn_us = static_cast<std::uint64_t>(turn / std::chrono::microseconds{1});
    EXPECT_LT(delay, 50'000U + turn_us) << "microseconds: what comes between turns comes late";
  }
}

}  // namespace
}  // namespace tickbox::tests::presentation_test
