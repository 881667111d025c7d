#pragma once
// A match of the field game with runners at given places, and the client of seat 0. The planner's
// snapshots go to a snapshot world, which must make the same view.

#include "client/match/snapshot_world.h"
#include "net/transport.h"
#include "server/match/plan/planner.h"
#include "server/match/sent_views.h"
#include "tests/support/field_game.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tickbox::server {

namespace field = tests::field;

inline constexpr std::uint32_t kPlannedRate = 60;

/// The pad of one player in a tick.
struct Played {
  std::uint16_t seat = 0;
  field::Pad pad;
};

constexpr Vec2 units(std::int32_t x, std::int32_t y) {
  return {x * kUnit, y * kUnit};
}

inline constexpr field::Pad kRest{};
inline constexpr field::Pad kRight{.x = 1, .y = 0, .shoot = {}};
inline constexpr field::Pad kLeft{.x = -1, .y = 0, .shoot = {}};
inline constexpr field::Pad kDown{.x = 0, .y = 1, .shoot = {}};
inline constexpr field::Pad kShoot{.x = 0, .y = 0, .shoot = {true}};

/// A match whose players a test joins, puts and moves.
class FieldMatch {
 public:
  /// A runner at each of `places`, by seat; all seats are taken.
  explicit FieldMatch(const std::vector<Vec2>& places)
      : FieldMatch(places, static_cast<std::uint32_t>(places.size())) {}

  FieldMatch(const std::vector<Vec2>& places, std::uint32_t seats)
      : map_(engine::make_map(field::game(), {.seats = seats}, kPlannedRate)),
        match_(field::game(), map_, kPlannedRate, 1) {
    std::vector<std::uint16_t> joins;
    for (std::size_t seat = 0; seat < places.size(); ++seat) {
      joins.push_back(static_cast<std::uint16_t>(seat));
    }
    join(joins);
    put(places);
  }

  void tick(const std::vector<Played>& played = {}) { step(played, {}); }

  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<engine::Join> joins;
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    match_.tick({.leaves = {}, .joins = joins, .inputs = {}});
  }

  void leave(const std::vector<std::uint16_t>& seats) {
    std::vector<Player> leaves;
    for (const std::uint16_t seat : seats) {
      leaves.push_back({seat});
    }
    match_.tick({.leaves = leaves, .joins = {}, .inputs = {}});
  }

  /// Ticks, and puts the runners of the first seats.
  void put(const std::vector<Vec2>& places) {
    std::uint16_t seat = 0;
    for (const Vec2 place : places)
      command_put(seat++, place);
    step({}, {});
  }

  /// Adds a command of the next tick.
  void command(std::uint16_t seat, std::uint8_t type, std::vector<std::byte> bytes) {
    command_bytes_.push_back(std::move(bytes));
    commands_.push_back({.player = {seat}, .type = type, .bytes = {}});
  }

  void command_put(std::uint16_t seat, Vec2 place) {
    command(seat, 0,
            field::bytes_of(
                field::Put{.x = place.x / field::kQuarter, .y = place.y / field::kQuarter}));
  }

  void command_drop(Vec2 place) {
    command(0, 1,
            field::bytes_of(
                field::Drop{.x = place.x / field::kQuarter, .y = place.y / field::kQuarter}));
  }

  void command_rain(std::int32_t rain) {
    command(0, 2, field::bytes_of(field::Rain{.rain = rain}));
  }

  void command_paint(std::uint16_t seat, std::int32_t paint) {
    command(seat, 3, field::bytes_of(field::Paint{.paint = paint}));
  }

  void step(const std::vector<Played>& played, const std::vector<engine::Strike>& strikes) {
    std::vector<std::vector<std::byte>> pads;
    for (const Played& each : played) {
      pads.push_back(field::bytes_of(each.pad));
    }
    std::vector<engine::PlayerInput> inputs;
    for (std::size_t i = 0; i < played.size(); ++i) {
      inputs.push_back({.player = {played[i].seat}, .input = pads[i]});
    }
    for (std::size_t i = 0; i < commands_.size(); ++i) {
      commands_[i].bytes = command_bytes_[i];
    }
    const engine::JudgeRays judge = [&](auto, std::vector<engine::Strike>& out) { out = strikes; };
    match_.tick(
        {.leaves = {}, .joins = {}, .commands = commands_, .inputs = inputs, .judge = &judge});
    commands_.clear();
    command_bytes_.clear();
  }

  [[nodiscard]] Match& match() { return match_; }

  [[nodiscard]] const Match& match() const { return match_; }

  [[nodiscard]] Tick now() const { return match_.world().tick; }

  [[nodiscard]] engine::World like() const { return {field::game(), map_, kPlannedRate, 1}; }

  [[nodiscard]] BodyId body(std::uint16_t seat) const {
    const engine::World& world = match_.world();
    return world.id(world.avatar_of({seat}));
  }

  [[nodiscard]] Vec2 place(std::uint16_t seat) const {
    const engine::World& world = match_.world();
    return world.body(world.avatar_of({seat})).min;
  }

  [[nodiscard]] SlotId slot(std::uint16_t seat) const {
    return match_.history().slots().find(body(seat));
  }

  /// Returns the entities of a kind, by id.
  [[nodiscard]] std::vector<BodyId> bodies(std::uint8_t kind) const {
    std::vector<BodyId> ids;
    for (const views::RowHead& head : match_.state().rows.heads()) {
      if (head.kind == kind) ids.push_back(head.id);
    }
    return ids;
  }

  [[nodiscard]] std::vector<BodyId> crates() const { return bodies(1); }

  [[nodiscard]] std::vector<BodyId> darts() const { return bodies(2); }

 private:
  engine::SharedMap map_;
  Match match_;
  std::vector<engine::Command> commands_;
  std::vector<std::vector<std::byte>> command_bytes_;
};

/// The same with the client of seat 0.
class PlannedMatch : public FieldMatch {
 public:
  explicit PlannedMatch(const std::vector<Vec2>& places)
      : FieldMatch(places),
        world_(std::make_unique<client::SnapshotWorld>(like(), Player{0}, stepper_)) {}

  /// Sends the snapshot of this tick. The client must make the planner's view from it. If it does
  /// not fit, nothing is sent.
  const views::Content& send(std::size_t bytes_max = net::kDatagramBytesMax,
                             std::size_t members_max = views::kMembersMax) {
    const Tick tick = now();
    const Members* base = views_.base(tick);
    const ViewRequest request{.player = {0},
                              .base = base,
                              .base_tick = base != nullptr ? views_.base_tick() : Tick{},
                              .last = views_.newest(tick),
                              .bytes_max = bytes_max,
                              .members_max = members_max};
    planner_.begin_tick(match(), planned_);
    Members members;
    plan(request, members);
    content_.clear();
    if (!plan_.fits) {
      EXPECT_LT(bytes_max, net::kDatagramBytesMax) << "a whole datagram is always enough";
      return content_;
    }
    EXPECT_LE(bytes_.size() + protocol::kSnapshotFrameBytes, bytes_max);
    sent_ = tick;
    views_.add(tick, members);
    members_.clear();
    for (const SlotId slot : members) {
      members_.insert(match().history().slots().slot(slot).id);
    }
    EXPECT_EQ(plan_.members, members_.size());
    EXPECT_TRUE(members_.contains(body(0))) << "the own body";
    check_client(tick, request.base_tick);
    return content_;
  }

  /// The last snapshot has arrived.
  void acknowledge() { views_.acknowledge(sent_); }

  [[nodiscard]] const ViewPlan& plan() const { return plan_; }

  [[nodiscard]] const std::set<BodyId>& members() const { return members_; }

  [[nodiscard]] bool sees(std::uint16_t seat) const { return members_.contains(body(seat)); }

  [[nodiscard]] const WaitingBodies& waiting() const { return waiting_; }

  [[nodiscard]] std::size_t bytes() const { return bytes_.size(); }

  /// Whether the plan of the last snapshot ends early if that is sent with news alone.
  [[nodiscard]] bool ends_early() const { return ends_early_; }

 private:
  /// Plans twice. The plan for a snapshot that is sent with news alone may end early only where the
  /// whole plan has no news, and leaves the same bodies waiting.
  void plan(const ViewRequest& request, Members& members) {
    WaitingBodies waiting = waiting_;
    ViewRequest only_with_news = request;
    only_with_news.only_with_news = true;
    const ViewPlan early = planner_.plan(only_with_news, waiting, bytes_, members);
    plan_ = planner_.plan(request, waiting_, bytes_, members);
    ends_early_ = !early.has_view;
    EXPECT_EQ(waiting, waiting_);
    if (!ends_early_) return;
    EXPECT_TRUE(plan_.fits);
    EXPECT_FALSE(plan_.has_news);
    EXPECT_GE(early.work, plan_.work) << "of the next plan, which may have news";
  }

  void check_client(Tick tick, Tick base_tick) {
    const client::ViewHead head{
        .tick = tick,
        .base_age = plan_.on_base ? static_cast<std::uint32_t>(tick - base_tick) : 0U,
        .view_hash = static_cast<std::uint32_t>(plan_.view_hash & 0xffff'ffff)};
    const auto view = world_->apply(head, bytes_);
    ASSERT_TRUE(view) << "tick " << tick.value;
    std::set<BodyId> ids;
    for (const views::RowHead& row : view->rows->heads()) {
      ids.insert(row.id);
    }
    EXPECT_EQ(ids, members_) << "tick " << tick.value;
    held_[tick] = *view->rows;
    const views::ContentBase base{
        .tick = tick, .age = head.base_age, .rows = plan_.on_base ? &held_.at(base_tick) : nullptr};
    EXPECT_TRUE(views::read_content(bytes_, base, content_));
  }

  TickContext planned_;

  Planner planner_;
  SentViews views_{base_age_max(kPlannedRate)};
  WaitingBodies waiting_;
  std::vector<std::byte> bytes_;
  views::Content content_{field::game()};
  engine::Stepper stepper_;
  std::unique_ptr<client::SnapshotWorld> world_;
  std::map<Tick, views::Rows> held_;
  ViewPlan plan_;
  bool ends_early_ = false;
  Tick sent_;
  std::set<BodyId> members_;
};

}  // namespace tickbox::server
