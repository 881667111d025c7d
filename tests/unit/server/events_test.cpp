// Events: their receivers, and their repetition until they arrive.

#include "game/map.h"
#include "games/arena/arena_map.h"
#include "server/replication/event_broadcast.h"
#include "server/replication/event_queue.h"
#include "tests/support/allocations.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

// The receivers of each event, in a room with players at given positions.

constexpr std::uint32_t kRate = 60;
constexpr Sight kSight{.half_width = 24, .half_height = 16};
constexpr PlayerId kA{0};
constexpr PlayerId kB{1};
constexpr PlayerId kC{2};
/// A place from which the victim is seen after its respawn.
constexpr Vec2 kElsewhere{.x = 0, .y = 500 * kUnit};

/// A and B face each other; C is out of sight.
game::SharedMap field() {
  auto map = std::make_shared<game::Map>();
  map->seats = 3;
  map->spawn_points = {{.x = 0, .y = 0}, {.x = 4 * kUnit, .y = 0}, {.x = 0, .y = -500 * kUnit}};
  for (std::int32_t i = 0; i < 30; ++i)
    map->spawn_points.push_back({.x = 3 * i * kUnit, .y = kElsewhere.y});
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  return map;
}

class EventBroadcastTest : public ::testing::Test {
 protected:
  EventBroadcastTest() { tick({}, {kA, kB, kC}); }

  void tick(const std::vector<game::PlayerInput>& inputs, const std::vector<PlayerId>& joins = {},
            const std::vector<game::Strike>& strikes = {}) {
    room_.tick({.leaves = {}, .joins = joins, .inputs = inputs, .strikes = strikes});
    broadcast_.gather(room_, joins);
  }

  /// A's ray strikes B.
  void hit() {
    const std::vector<game::PlayerInput> inputs{
        {.player = kA, .input = {.buttons = game::kButtonRay}}};
    tick(inputs, {}, {{.shooter = kA, .victim = room_.world().body_of(kB)}});
  }

  [[nodiscard]] const RoutedEvent* find(protocol::EventKind kind, PlayerId subject) const {
    for (const RoutedEvent& routed : broadcast_.events())
      if (routed.event.kind == kind && routed.event.subject == subject) return &routed;
    return nullptr;
  }

  Room room_{field(), std::make_shared<const tests::SeatedArena>(kRate), 1, kRate};
  EventBroadcast broadcast_{kSight};
};

TEST_F(EventBroadcastTest, TellOfWhoJoins) {
  ASSERT_EQ(broadcast_.events().size(), 3U);
  const RoutedEvent* spawn = find(protocol::EventKind::Spawn, kB);
  ASSERT_NE(spawn, nullptr);
  EXPECT_EQ(spawn->event.what, room_.world().seat(kB).generation);
  EXPECT_TRUE(broadcast_.reaches(*spawn, kA, {.x = 0, .y = 0}));
  EXPECT_FALSE(broadcast_.reaches(*spawn, kC, {.x = 0, .y = -500 * kUnit}));
  tick({});
  EXPECT_TRUE(broadcast_.events().empty());
}

TEST_F(EventBroadcastTest, TellOfAHitItsScoreAndWhereTheVictimAppears) {
  hit();
  ASSERT_EQ(broadcast_.events().size(), 3U);
  const RoutedEvent* hit = find(protocol::EventKind::Hit, kA);
  const RoutedEvent* score = find(protocol::EventKind::Score, kA);
  const RoutedEvent* spawn = find(protocol::EventKind::Spawn, kB);
  ASSERT_TRUE(hit != nullptr && score != nullptr && spawn != nullptr);
  EXPECT_EQ(hit->event.what, kB.value);
  EXPECT_EQ(score->event.what, 1);
  // A player that sees the place of the hit.
  const Vec2 here{.x = 20 * kUnit, .y = 0};
  EXPECT_TRUE(broadcast_.reaches(*hit, kC, here));
  EXPECT_TRUE(broadcast_.reaches(*score, kC, here));
  EXPECT_FALSE(broadcast_.reaches(*spawn, kC, here));
  // Who sees where the victim is now.
  EXPECT_FALSE(broadcast_.reaches(*hit, kC, kElsewhere));
  EXPECT_FALSE(broadcast_.reaches(*score, kC, kElsewhere));
  EXPECT_TRUE(broadcast_.reaches(*spawn, kC, kElsewhere));
  // Whom it is about, wherever it is.
  const Vec2 nowhere{.x = 2'000 * kUnit, .y = 0};
  EXPECT_TRUE(broadcast_.reaches(*hit, kA, nowhere));
  EXPECT_TRUE(broadcast_.reaches(*hit, kB, nowhere));
  EXPECT_FALSE(broadcast_.reaches(*hit, kC, nowhere));
  EXPECT_TRUE(broadcast_.reaches(*score, kA, nowhere));
  EXPECT_TRUE(broadcast_.reaches(*spawn, kB, nowhere));
  EXPECT_FALSE(broadcast_.reaches(*spawn, kA, nowhere));
}

TEST_F(EventBroadcastTest, TellOfEachShotInOneGo) {
  const std::vector<game::PlayerInput> inputs{
      {.player = kA, .input = {.buttons = game::kButtonRay}},
      {.player = kC, .input = {.buttons = game::kButtonRay}}};
  tick(inputs, {},
       {{.shooter = kA, .victim = room_.world().body_of(kB)},
        {.shooter = kC, .victim = room_.world().body_of(kA)}});
  std::vector<std::pair<protocol::EventKind, PlayerId>> told;
  for (const RoutedEvent& routed : broadcast_.events())
    told.emplace_back(routed.event.kind, routed.event.subject);
  using enum protocol::EventKind;
  EXPECT_EQ(told, (std::vector<std::pair<protocol::EventKind, PlayerId>>{
                      {Hit, kA}, {Score, kA}, {Spawn, kB}, {Hit, kC}, {Score, kC}, {Spawn, kA}}));
}

TEST_F(EventBroadcastTest, AHitOfEveryPlayerAtOnceAsksForNoMemory) {
  const std::vector<game::PlayerInput> inputs{
      {.player = kA, .input = {.buttons = game::kButtonRay}},
      {.player = kB, .input = {.buttons = game::kButtonRay}},
      {.player = kC, .input = {.buttons = game::kButtonRay}}};
  const std::vector<game::Strike> strikes{{.shooter = kA, .victim = room_.world().body_of(kB)},
                                          {.shooter = kB, .victim = room_.world().body_of(kC)},
                                          {.shooter = kC, .victim = room_.world().body_of(kA)}};
  room_.tick({.leaves = {}, .joins = {}, .inputs = inputs, .strikes = strikes});
  const std::uint64_t before = tests::allocations();
  broadcast_.gather(room_, {});
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_EQ(broadcast_.events().size(), 9U) << "a hit, a score and a spawn each";
}

// The tick before is the opening of the room, in which nobody has a body.
TEST(EventBroadcast, AHitInTheFirstTickOfARoomIsNoEvent) {
  Room room{field(), std::make_shared<const tests::SeatedArena>(kRate), 1, kRate};
  EventBroadcast broadcast{kSight};
  const std::vector<PlayerId> joins{kA, kB};
  const std::vector<game::PlayerInput> inputs{
      {.player = kA, .input = {.buttons = game::kButtonRay}}};
  const std::vector<game::Strike> strikes{{.shooter = kA, .victim = game::player_body(kB, 1)}};
  room.tick({.leaves = {}, .joins = joins, .inputs = inputs, .strikes = strikes});
  ASSERT_EQ(room.events().hits.size(), 1U);
  broadcast.gather(room, joins);
  for (const RoutedEvent& routed : broadcast.events())
    EXPECT_EQ(routed.event.kind, protocol::EventKind::Spawn);
}

// The seat that a score's low bits happen to name is not concerned by it.
TEST_F(EventBroadcastTest, AScoreConcernsItsPlayerAlone) {
  hit();
  const RoutedEvent* score = find(protocol::EventKind::Score, kA);
  ASSERT_EQ(score->event.what, kB.value);
  EXPECT_FALSE(broadcast_.reaches(*score, kB, {.x = 2'000 * kUnit, .y = 0}));
}

TEST(EventBroadcast, RoutesEachEventToThePlayersThatItReaches) {
  constexpr std::uint16_t kPlayers = 200;
  Room room{game::make_arena_map(kPlayers), std::make_shared<const game::Arena>(kRate), 3, kRate};
  std::vector<PlayerId> joins;
  for (std::uint16_t seat = 0; seat < kPlayers; ++seat)
    joins.push_back({seat});
  room.tick({.leaves = {}, .joins = joins, .inputs = {}});
  std::vector<game::PlayerInput> inputs;
  std::vector<game::Strike> strikes;
  for (const PlayerId player : joins) {
    inputs.push_back({.player = player, .input = {.buttons = game::kButtonRay}});
    const PlayerId victim{static_cast<std::uint16_t>((player.value * 7U + 1) % kPlayers)};
    strikes.push_back({.shooter = player, .victim = room.world().body_of(victim)});
  }
  const std::vector<PlayerId> leaves{{5}};
  room.tick({.leaves = leaves, .joins = {}, .inputs = inputs, .strikes = strikes});
  EventBroadcast broadcast{kSight};
  broadcast.gather(room, {});
  ASSERT_GT(broadcast.events().size(), 3U * (kPlayers - 3));

  std::vector<std::vector<protocol::Event>> routed(kPlayers);
  broadcast.route(room, [&](PlayerId player, const protocol::Event& event) {
    routed[player.value].push_back(event);
    return player != kB || routed[player.value].size() < 2;
  });
  for (const PlayerId player : joins) {
    std::vector<protocol::Event> reaching;
    const game::EntityState* body =
        game::find_entity(room.entities(), room.world().body_of(player));
    for (const RoutedEvent& event : broadcast.events())
      if (body != nullptr && broadcast.reaches(event, player, body->min))
        reaching.push_back(event.event);
    if (player == kB) reaching.resize(2);  // it wanted no more
    EXPECT_EQ(routed[player.value], reaching) << player.value;
  }
}

// The events that a queue puts into each snapshot, and the effect of acknowledgements.

constexpr std::uint32_t kRepeat = 15;

class EventQueueTest : public ::testing::Test {
 protected:
  bool add(std::uint32_t tick, std::uint16_t what = 0) {
    return queue_.add({tick}, {.subject = {7}, .what = what, .kind = protocol::EventKind::Score});
  }

  /// Returns the numbers of the events in the snapshot of `tick`.
  std::vector<std::uint16_t> tell(std::uint32_t tick) {
    events_.clear();
    queue_.tell({tick}, std::min(queue_.due({tick}), protocol::kSnapshotEventsMax), events_);
    std::vector<std::uint16_t> numbers;
    for (const protocol::Event& event : events_)
      numbers.push_back(event.number);
    return numbers;
  }

  EventQueue queue_{kRepeat};
  protocol::Events events_;
};

using Numbers = std::vector<std::uint16_t>;

TEST_F(EventQueueTest, TellsOnceWhatMayStillArrive) {
  add(100, 5);
  EXPECT_EQ(tell(100), Numbers{1});
  EXPECT_EQ(events_[0].what, 5);
  EXPECT_EQ(events_[0].subject, PlayerId{7});
  EXPECT_EQ(events_[0].ago, 0);
  EXPECT_EQ(tell(101), Numbers{});
  add(102);
  EXPECT_EQ(tell(103), Numbers{2});
  EXPECT_EQ(events_[0].ago, 1);
}

TEST_F(EventQueueTest, ForgetsWhatIsAcknowledged) {
  add(100);
  add(100);
  EXPECT_EQ(tell(100), (Numbers{1, 2}));
  queue_.acknowledge(1, {100});
  EXPECT_EQ(tell(101), Numbers{2}) << "the first came and the second did not";
  queue_.acknowledge(2, {101});
  EXPECT_EQ(tell(400), Numbers{});
}

// The client holds the view of the snapshot with the event, or a later view, but not the event.
TEST_F(EventQueueTest, TellsAgainWhatWasLost) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  add(101);
  EXPECT_EQ(tell(101), Numbers{2});
  queue_.acknowledge(0, {99});
  EXPECT_EQ(tell(102), Numbers{}) << "it may still come";
  queue_.acknowledge(0, {100});
  EXPECT_EQ(tell(103), (Numbers{1, 2})) << "the second, if it came, came too early";
  queue_.acknowledge(0, {102});
  EXPECT_EQ(tell(104), Numbers{}) << "a word from before it was sent again";
  queue_.acknowledge(2, {103});
  EXPECT_EQ(tell(105), Numbers{});
}

// The event was only late. Whatever was sent, once or more often, may be acknowledged.
TEST_F(EventQueueTest, TakesAnAcknowledgementOfWhatItThoughtLost) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  queue_.acknowledge(0, {100});
  EXPECT_EQ(queue_.due({101}), 1U);
  queue_.acknowledge(1, {100});
  EXPECT_EQ(tell(101), Numbers{});
}

TEST_F(EventQueueTest, TellsAgainAfterASilence) {
  add(100);
  EXPECT_EQ(tell(100), Numbers{1});
  EXPECT_EQ(tell(100 + kRepeat - 1), Numbers{});
  EXPECT_EQ(tell(100 + kRepeat), Numbers{1});
  EXPECT_EQ(events_[0].ago, kRepeat);
  EXPECT_EQ(tell(100 + 2 * kRepeat - 1), Numbers{});
  EXPECT_EQ(tell(100 + 400), Numbers{1});
  EXPECT_EQ(events_[0].ago, 255) << "and no more";
}

TEST_F(EventQueueTest, TakesNoAcknowledgementOfWhatWasNotTold) {
  add(100);
  add(100);
  queue_.acknowledge(1, {});
  queue_.acknowledge(2, {});
  EXPECT_EQ(tell(100), (Numbers{1, 2}));
  for (const int number : {3, 4, 1'000, 0x8000, 0xffff})
    queue_.acknowledge(static_cast<std::uint16_t>(number), {99});
  EXPECT_EQ(tell(100 + kRepeat), (Numbers{1, 2}));
}

TEST_F(EventQueueTest, NumbersGoOnOverTheirEnd) {
  std::uint32_t expected = 1;
  for (std::uint32_t tick = 1; tick < 40'000; ++tick, expected += 2) {
    add(tick);
    add(tick);
    ASSERT_EQ(tell(tick), (Numbers{static_cast<std::uint16_t>(expected),
                                   static_cast<std::uint16_t>(expected + 1)}));
    queue_.acknowledge(static_cast<std::uint16_t>(expected + 1), {tick});
  }
}

TEST_F(EventQueueTest, TellsNoMoreAtOnceThanASnapshotHolds) {
  for (int i = 0; i < 20; ++i)
    add(100);
  EXPECT_EQ(queue_.due({100}), 20U);
  EXPECT_EQ(tell(100).size(), protocol::kSnapshotEventsMax);
  EXPECT_EQ(tell(101), (Numbers{17, 18, 19, 20}));
}

TEST_F(EventQueueTest, HoldsSoManyAndNoMore) {
  for (std::size_t i = 0; i < kEventsWaitingMax; ++i)
    ASSERT_TRUE(add(100));
  EXPECT_FALSE(add(100));
  EXPECT_EQ(tell(100).size(), protocol::kSnapshotEventsMax);
  queue_.acknowledge(protocol::kSnapshotEventsMax, {100});
  EXPECT_TRUE(add(101)) << "there is room again";
  EXPECT_EQ(tell(101).front(), protocol::kSnapshotEventsMax + 1);
}

}  // namespace
}  // namespace tickbox::server
