// A warm match, plan and client allocate no memory.

#include "client/match/prediction.h"
#include "server/match/sent_views.h"
#include "tests/support/allocations.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint16_t kPlayers = 12;
/// All repeats after this number of ticks, so that each slot of a ring holds as much as before.
constexpr std::uint32_t kPeriod = 64;
static_assert(kPeriod % protocol::kTicksRemembered == 0);

/// Runners that run, shoot and meet each other, and the client of one of them, which loses some
/// snapshots. Counts the allocations of each part.
class BusyMatch {
 public:
  BusyMatch() {
    std::vector<Vec2> places;
    for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
      places.push_back(units(3 * (seat % 4), 3 * (seat / 4)));
    }
    match_.put(places);
  }

  void tick() {
    const std::uint32_t i = match_.now().value;
    std::vector<Played> played;
    for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
      const std::uint32_t turn = i % kPeriod / 8 + seat;
      played.push_back({.seat = seat,
                        .pad = {.x = static_cast<std::int32_t>(turn % 3) - 1,
                                .y = static_cast<std::int32_t>(turn / 3 % 3) - 1,
                                .shoot = {(i + 5U * seat) % (kPeriod / 2) == 0}}});
    }
    if (i % kPeriod == 9) match_.command_rain(static_cast<std::int32_t>(i / kPeriod % 10));
    // The runners that were hit come back.
    if (i % kPeriod == 0) {
      for (std::uint16_t seat = 0; seat < kPlayers; ++seat) {
        match_.command_put(seat, units(3 * (seat % 4), 3 * (seat / 4)));
      }
    }
    match_.tick(played);
    const std::vector<std::byte> pad = field::bytes_of(played[0].pad);
    count(predictions_, [&] { prediction_.predict(match_.now(), pad); });
    plan();
  }

  [[nodiscard]] std::uint64_t plans() const { return plans_; }

  [[nodiscard]] std::uint64_t applies() const { return applies_; }

  [[nodiscard]] std::uint64_t predictions() const { return predictions_; }

  [[nodiscard]] std::uint64_t sent() const { return sent_; }

  [[nodiscard]] std::uint64_t full() const { return full_; }

  void reset() { plans_ = applies_ = predictions_ = sent_ = full_ = 0; }

 private:
  template <class Run>
  static void count(std::uint64_t& allocations, Run run) {
    const std::uint64_t before = tests::allocations();
    run();
    allocations += tests::allocations() - before;
  }

  void plan() {
    const Tick now = match_.now();
    const Members* base = views_.base(now);
    const ViewRequest request{.player = {0},
                              .base = base,
                              .base_tick = base != nullptr ? views_.base_tick() : Tick{},
                              .last = views_.newest(now),
                              .bytes_max = net::kDatagramBytesMax};
    ViewPlan plan;
    count(plans_, [&] {
      planner_.begin_tick(match_.match(), planned_);
      plan = planner_.plan(request, waiting_, content_, view_);
      views_.add(now, view_);
    });
    ++sent_;
    full_ += plan.on_base ? 0 : 1;
    if (now.value % 8 == 3) return;  // lost
    const client::ViewHead head{
        .tick = now,
        .base_age = plan.on_base ? static_cast<std::uint32_t>(now - request.base_tick) : 0U,
        .view_hash = static_cast<std::uint32_t>(plan.view_hash & 0xffff'ffff)};
    count(applies_, [&] {
      const auto view = world_.apply(head, content_);
      ASSERT_TRUE(view);
      prediction_.reconcile(*view);
    });
    if (now.value % 4 != 0) views_.acknowledge(now);
  }

  FieldMatch match_{std::vector<Vec2>(kPlayers)};
  TickContext planned_;
  Planner planner_;
  SentViews views_{base_age_max(kPlannedRate)};
  Members view_;
  WaitingBodies waiting_;
  std::vector<std::byte> content_;
  engine::Stepper stepper_;
  client::SnapshotWorld world_{match_.like(), Player{0}, stepper_};
  client::Prediction prediction_{match_.like(), Player{0}, stepper_};
  std::uint64_t plans_ = 0;
  std::uint64_t applies_ = 0;
  std::uint64_t predictions_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t full_ = 0;
};

TEST(Allocations, AWarmPlanAndAWarmApplyMakeNone) {
#ifdef TICKBOX_AUDIT
  GTEST_SKIP() << "the checks of the step allocate";
#endif
  BusyMatch match;
  for (int i = 0; i < 20 * static_cast<int>(kPeriod); ++i) {
    match.tick();
  }
  match.reset();
  for (int i = 0; i < 1'200; ++i) {
    match.tick();
  }
  EXPECT_EQ(match.plans(), 0U);
  EXPECT_EQ(match.applies(), 0U);
  EXPECT_EQ(match.predictions(), 0U);
  EXPECT_EQ(match.sent(), 1'200U);
  EXPECT_LT(match.full(), 100U);
}

}  // namespace
}  // namespace tickbox::server
