// Costly files: a small recording or scenario with all bodies in one place, whose first step would
// take minutes and gigabytes. Each is refused before that step. What a server can have written is
// stepped, at about the cost of its bodies.

#include "client/scenario/scenario.h"
#include "engine/keyframe.h"
#include "engine/stepper.h"
#include "games/arena/arena.h"
#include "record/compression.h"
#include "record/replayer.h"
#include "record/segments.h"
#include "tests/support/declared_values.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tickbox::tests {
namespace {

/// The number of a kind.
std::uint8_t kind_of(const GameTable& game, std::string_view name) {
  const auto kind =
      std::ranges::find(game.kinds, name, [](const KindTable& each) { return each.type.name; });
  return static_cast<std::uint8_t>(kind - game.kinds.begin());
}

/// The room of a match with this number of crates, all in one place.
std::vector<std::byte> heap_of_crates(const RecordedMatch& match, std::uint32_t crates) {
  engine::World world = match.world();
  const Vec2 place = engine::objects_of(*world.map(), "spawn")[0].min;
  world.clear_rows();
  for (std::uint32_t i = 0; i < crates; ++i) {
    const std::uint8_t kind = kind_of(world.game(), "Crate");
    const std::vector<std::byte> state = value_with(world.game().kinds[kind].type, {});
    world.add({.head = {.id = engine::spawned_id(engine::IdClass::ByServer,
                                                 {.lineage = engine::kSeatsMax + i, .tick = {}}),
                        .min = place,
                        .kind = kind,
                        .is_new = true},
               .state = state,
               .input = {}});
  }
  std::vector<std::byte> bytes;
  engine::encode_keyframe(world, bytes);
  return bytes;
}

/// Returns the heaps that no reader may step: as large as a keyframe can be, and the smallest.
std::vector<std::vector<std::byte>> heaps(const RecordedMatch& match) {
  std::uint32_t smallest = 0;
  for (std::size_t pairs = 0; pairs <= engine::kPairsMax; ++smallest) {
    pairs += smallest;
  }
  EXPECT_EQ(smallest, 2'897U);
  return {heap_of_crates(match, engine::kEntitiesMax), heap_of_crates(match, smallest)};
}

/// A recording that begins with this keyframe, as the server compresses it, and goes on with a
/// thousand quiet ticks in a few bytes.
std::vector<std::byte> recording_of(const std::vector<std::byte>& keyframe) {
  std::vector<std::byte> frame;
  record::Compressor compressor;
  compressor.append(keyframe, frame);
  Forged file;
  file.keyframe(static_cast<std::uint32_t>(keyframe.size()), frame, record::kFlagCompressed);
  std::vector<std::byte> hash;
  NumberWriter out{hash};
  out.fixed(std::uint64_t{0});
  file.add({.type = record::RecordType::Quiet, .tick = {1}, .count = 1'000}, hash);
  return file.bytes();
}

TEST(Threat, CostlyFilesRecordingsWithBodiesInOnePlaceAreRefused) {
  const RecordedMatch match;
  for (const auto& keyframe : heaps(match)) {
    const std::vector<std::byte> file = recording_of(keyframe);
    EXPECT_LT(file.size(), 150'000U);
    const record::VerifyResult result = verify(file);
    EXPECT_EQ(result.ticks, 0U) << "a step of such a world is what costs";
    EXPECT_EQ(result.damages, 1U);
    EXPECT_FALSE(result.held());
  }
}

/// Counts how often it is asked, and says stop from the `last` time on.
struct Stop {
  std::uint64_t last = UINT64_MAX;
  std::uint64_t asked = 0;

  bool operator()() { return ++asked >= last; }
};

// A heap that a server can have recorded, of which each tick takes a fifth of a second. A tick that
// is stopped is neither verified nor another than was recorded.
TEST(Threat, CostlyFilesAStopEndsTheTickThatIsStepped) {
  const RecordedMatch match;
  const std::vector<std::byte> file = recording_of(heap_of_crates(match, 1'400));
  Stop reading;
  (void)record::segments_of(record::Reader::open(file).value(), std::ref(reading));
  for (const std::uint64_t within : {1U, 5U, 50U}) {
    constexpr std::uint64_t kBeforeTheTick = 2;  // for the segment, and for the tick
    Stop stop{.last = reading.asked + kBeforeTheTick + within};
    const record::VerifyResult result = verify(file, {.stopped = std::ref(stop)});
    EXPECT_EQ(stop.asked, stop.last) << "the rest is not stepped";
    EXPECT_TRUE(result.interrupted && result.held());
    EXPECT_EQ(result.ticks, 0U);

    record::Replayer replayer{record::Reader::open(file).value(), match.game(), match.map()};
    Stop replay_stop{.last = within};
    replayer.stop_when(std::ref(replay_stop));
    EXPECT_TRUE(replayer.next()) << "the keyframe";
    EXPECT_FALSE(replayer.next());
    EXPECT_TRUE(replayer.gave_up());
    EXPECT_EQ(replay_stop.asked, within);
    EXPECT_EQ(replayer.damages(), 0U);
  }
}

// The forger's file is one that is verified, but for the crates.
TEST(Threat, CostlyFilesTheRoomItselfIsStepped) {
  const RecordedMatch match;
  const record::VerifyResult result = verify(recording_of(match.keyframe()));
  EXPECT_EQ(result.ticks, 1'000U);
  EXPECT_EQ(result.damages, 0U);
}

/// A room at this tick in which bullets are on the first spawn points.
engine::World room_full_of_bullets(Tick tick, std::uint32_t bullets) {
  constexpr std::uint32_t kTickRate = 60;
  constexpr std::int64_t kLife = 60;
  const GameTable& arena = games::arena();
  engine::World world{arena, engine::make_map(arena, {.seats = engine::kSeatsMax}, kTickRate),
                      kTickRate, 1};
  engine::Stepper stepper;
  stepper.open(world);
  world.tick = tick;
  const std::uint8_t kind = kind_of(arena, "Bullet");
  std::uint32_t added = 0;
  for (const MapObject& point : engine::objects_of(*world.map(), "spawn")) {
    if (added == bullets) break;
    const std::uint32_t age = added % 3;
    const Player owner{static_cast<std::uint16_t>(added / 3)};
    const std::vector<std::byte> state =
        value_with(arena.kinds[kind].type, {{"left", kLife - 1 - age}});
    world.add(
        {.head = {.id = engine::spawned_id(engine::IdClass::ByEntity,
                                           {.lineage = owner.seat, .tick = {tick.value - age}}),
                  .min = {point.min.x + kUnit / 2, point.min.y + kUnit / 2},
                  .kind = kind,
                  .is_new = true},
         .state = state,
         .input = {}});
    ++added;
  }
  EXPECT_EQ(added, bullets);
  return world;
}

/// A full room's first tick has all players appear where most spawn points are taken; in its second
/// all of them are hit, and appear once more.
TEST(Threat, CostlyFilesAllMayAppearAtOnceInARoomFullOfBullets) {
  const std::size_t crates = room_full_of_bullets({1'000}, 0).size();
  const engine::World full = room_full_of_bullets(
      {1'000}, static_cast<std::uint32_t>(engine::kEntitiesMax - engine::kSeatsMax - crates));
  std::vector<std::byte> keyframe;
  engine::encode_keyframe(full, keyframe);
  auto world = engine::restore(keyframe, full);
  ASSERT_TRUE(world);

  std::vector<engine::Join> joins;
  std::vector<engine::PlayerInput> inputs;
  const std::vector<std::byte> ray = value_with(world->game().input, {{"ray", 1}});
  for (std::uint16_t seat = 0; seat < engine::kSeatsMax; ++seat) {
    joins.push_back({.player = {seat}, .user_data = {}});
    inputs.push_back({.player = {seat}, .input = ray});
  }
  engine::Stepper stepper;
  engine::TickRecord record;
  stepper.step(*world, {.leaves = {}, .joins = joins, .inputs = {}}, record);
  const engine::JudgeRays judge = [&](std::span<const engine::FiredRay> rays,
                                      std::vector<engine::Strike>& strikes) {
    for (std::size_t i = 0; i < rays.size(); ++i) {
      strikes.push_back({.shooter = rays[i].shooter, .victim = rays[(i + 1) % rays.size()].from});
    }
  };
  stepper.step(*world, {.leaves = {}, .joins = {}, .inputs = inputs, .judge = &judge}, record);
  const auto respawns =
      std::ranges::count(record.outcomes, engine::OutcomeKind::Decided, &engine::Outcome::kind);
  EXPECT_EQ(respawns, engine::kSeatsMax)
      << "a walk over all bodies for each player and place takes minutes, and the test is ended";
}

TEST(Threat, CostlyFilesScenariosWithBodiesInOnePlaceAreRefused) {
  std::string text = "{\"tick_rate\":60,\"ticks\":9,\"bodies\":[";
  for (int i = 0; text.size() < 263'000; ++i) {
    text += std::string{i == 0 ? "" : ","} + "{\"id\":" + std::to_string(i) +
            ",\"kind\":\"dynamic\",\"min\":[0,0],\"size\":[1,1]}";
  }
  const auto scenario = scenario::parse_scenario(text + "]}", "heap.json");
  ASSERT_FALSE(scenario);
  EXPECT_EQ(scenario.error(),
            "heap.json: body 0 overlaps more than 8 bodies at tick 0; move them apart");
}

}  // namespace
}  // namespace tickbox::tests
