// Snapshots for a player whose own bodies are more than a datagram holds.

#include "client/match/snapshot_world.h"
#include "net/transport.h"
#include "server/match/plan/planner.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tickbox::server::own_bodies_test {
namespace {

struct Crook {
  Int<-1, 1> x;
  TICKBOX_FIELDS(Crook, x)
};

/// A row of some 120 bytes.
struct Sheep {
  Array<Int<0, 1 << 29>, 32> wool;
  TICKBOX_FIELDS(Sheep, wool)
};

/// Each player has a flock in a row. Two snapshots hold the flock of the first player; the second
/// player's is larger.
struct Pasture {
  static constexpr std::string_view name = "pasture";
  static constexpr std::uint32_t version = 1;
  using Input = Crook;
  using Avatar = Sheep;
  using Kinds = List<Sheep>;
  using Step = tickbox::Step<Pasture>;
  using Server = tickbox::Server<Pasture>;

  static constexpr std::int32_t kFlock = 15;
  static constexpr std::int32_t kLargeFlock = 30;

  static constexpr std::int32_t top_speed(const Sheep&) { return 1; }

  static Body body(const Sheep&) { return {}; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server& server, Player who) {
    Sheep sheep;
    for (std::size_t i = 0; i < 32; ++i) {
      sheep.wool[i] = 1 << 29;
    }
    for (std::int32_t i = 0; i < (who.seat == 0 ? kFlock : kLargeFlock); ++i) {
      server.spawn_avatar(who, sheep, {2 * i * kUnit, 4 * who.seat * kUnit});
    }
  }

  static void act(Entity<Sheep> me, const Crook& crook, Step& step) {
    me.velocity = {crook.x * step.speed(1), 0};
  }
};

static_assert(GameRules<Pasture>);

constexpr std::uint32_t kRate = 60;

class OwnBodiesTest : public ::testing::Test {
 protected:
  OwnBodiesTest() {
    const std::vector<engine::Join> joins{{.player = {0}, .user_data = {}},
                                          {.player = {1}, .user_data = {}}};
    match_.tick({.leaves = {}, .joins = joins, .inputs = {}});
  }

  /// Ticks, and plans on the view that was planned last.
  ViewPlan plan_next(std::uint16_t seat) {
    const Members base = members_;
    const Tick base_tick = match_.world().tick;
    match_.tick({.leaves = {}, .joins = {}, .inputs = {}});
    EXPECT_FALSE(plan(600, seat, &base, base_tick).fits);
    return plan(net::kDatagramBytesMax, seat, &base, base_tick);
  }

  ViewPlan plan(std::size_t bytes_max, std::uint16_t seat = 0, const Members* base = nullptr,
                Tick base_tick = {}) {
    planner_.begin_tick(match_, planned_);
    return planner_.plan(
        {.player = {seat}, .base = base, .base_tick = base_tick, .bytes_max = bytes_max}, waiting_,
        content_, members_);
  }

  [[nodiscard]] std::size_t datagram_bytes() const {
    return content_.size() + protocol::kSnapshotFrameBytes;
  }

  [[nodiscard]] bool is_own(SlotId slot) const {
    return views::owner_of(match_.history().slots().slot(slot).id) == Player{0};
  }

  engine::SharedMap map_ = engine::make_map(kGameTable<Pasture>, {.seats = 2}, kRate);
  Match match_{kGameTable<Pasture>, map_, kRate, 1};
  TickContext planned_;
  Planner planner_;
  WaitingBodies waiting_;
  std::vector<std::byte> content_;
  Members members_;
};

TEST_F(OwnBodiesTest, AFullViewIsHeldBackWhileTheyDoNotFitIntoTheFreeBytes) {
  for (const std::size_t bytes : {400U, 800U, 1'199U}) {
    EXPECT_FALSE(plan(bytes).fits) << bytes;
  }
  EXPECT_TRUE(plan(net::kDatagramBytesMax).fits);
}

TEST_F(OwnBodiesTest, AFullViewInAWholeDatagramHasAsManyAsFit) {
  const ViewPlan full = plan(net::kDatagramBytesMax);
  ASSERT_TRUE(full.fits);
  EXPECT_FALSE(full.on_base);
  EXPECT_GT(members_.size(), 5U);
  EXPECT_LT(members_.size(), std::size_t{Pasture::kFlock});
  EXPECT_TRUE(std::ranges::all_of(members_, [&](SlotId slot) { return is_own(slot); }));
  EXPECT_LE(datagram_bytes(), net::kDatagramBytesMax);
  const std::size_t row_bytes = content_.size() / members_.size();
  EXPECT_GT(datagram_bytes() + row_bytes + 2, net::kDatagramBytesMax) << "one more would not fit";

  engine::Stepper stepper;
  client::SnapshotWorld client{engine::World{kGameTable<Pasture>, map_, kRate, 1}, Player{0},
                               stepper};
  const auto view =
      client.apply({.tick = match_.world().tick,
                    .base_age = 0,
                    .view_hash = static_cast<std::uint32_t>(full.view_hash & 0xffff'ffff)},
                   content_);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->rows->size(), members_.size());
}

TEST_F(OwnBodiesTest, TheOthersFollowOnTheNextBase) {
  plan(net::kDatagramBytesMax);
  const ViewPlan next = plan_next(0);
  EXPECT_TRUE(next.fits && next.on_base);
  EXPECT_EQ(members_.size(), std::size_t{Pasture::kFlock});
}

// The base lacks more own bodies than a datagram holds, so the client gets a full view again.
TEST_F(OwnBodiesTest, AreAFullViewAgainWhereTheOthersDoNotFitEither) {
  plan(net::kDatagramBytesMax, 1);
  const std::size_t first = members_.size();
  const ViewPlan next = plan_next(1);
  EXPECT_TRUE(next.fits);
  EXPECT_FALSE(next.on_base);
  EXPECT_EQ(members_.size(), first);
}

// The last own one is out of sight.
TEST_F(OwnBodiesTest, ThatTheBaseLacksAreNewsWhereverTheyAre) {
  Members base;
  SlotId last_own = kNoSlot;
  for (const SlotId slot : match_.history().slots().present()) {
    const std::uint32_t row = match_.history().slots().slot(slot).index;
    const bool is_in_sight = match_.world().body(row).min.x <= views::kSight.x;
    if (is_own(slot) || is_in_sight) base.push_back(slot);
    if (is_own(slot) && !is_in_sight) last_own = slot;
  }
  const ViewRequest request{.player = {0},
                            .base = &base,
                            .base_tick = match_.world().tick,
                            .bytes_max = net::kDatagramBytesMax,
                            .only_with_news = true};
  planner_.begin_tick(match_, planned_);
  EXPECT_FALSE(planner_.plan(request, waiting_, content_, members_).has_view);
  std::erase(base, last_own);
  EXPECT_TRUE(planner_.plan(request, waiting_, content_, members_).has_news);
}

}  // namespace
}  // namespace tickbox::server::own_bodies_test
