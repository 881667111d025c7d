// Costly files: a small recording, scenario or stream of an audit with all bodies in one place,
// whose first step would take minutes and gigabytes. Each is refused before that step. What a
// server can have written is stepped, at about the cost of its bodies.

#include "client/verification/audit.h"
#include "game/restore.h"
#include "game/step.h"
#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "protocol/audit_codec.h"
#include "record/compression.h"
#include "scenario/scenario.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::tests {
namespace {

/// The opened room of a match, with the most crates of a keyframe, all in one place.
std::vector<std::byte> heap_of_crates(const RecordedMatch& match) {
  game::LoggedWorld world = game::logged_world(match.world(), match.room().hash(), {});
  const Vec2 place = match.map()->spawn_points.front();
  world.entities.clear();
  for (std::uint32_t i = 0; i < game::kLoggedEntitiesMax; ++i) {
    world.entities.push_back({.id = game::crate_body(i),
                              .min = place,
                              .velocity = {},
                              .traits = {.kind = game::EntityKind::Crate}});
  }
  std::vector<std::byte> bytes;
  game::encode_keyframe(world, bytes);
  return bytes;
}

/// The same with the crates of the map alone, two of them in one place.
std::vector<std::byte> two_crates_in_one_place(const RecordedMatch& match) {
  game::LoggedWorld world = game::logged_world(match.world(), match.room().hash(), {});
  world.entities[1].min = world.entities[0].min;
  std::vector<std::byte> bytes;
  game::encode_keyframe(world, bytes);
  return bytes;
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
  for (const auto& keyframe : {heap_of_crates(match), two_crates_in_one_place(match)}) {
    const std::vector<std::byte> file = recording_of(keyframe);
    EXPECT_LT(file.size(), 100'000U);
    const record::VerifyResult result = verify(file);
    EXPECT_EQ(result.ticks, 0U) << "a step of such a world is what costs";
    EXPECT_EQ(result.damages, 1U);
    EXPECT_FALSE(result.held());
  }
}

// The forger's file is one that is verified, but for the crates.
TEST(Threat, CostlyFilesTheRoomItselfIsStepped) {
  const RecordedMatch match;
  std::vector<std::byte> keyframe;
  match.room().log().keyframe(match.world(), match.room().hash(), keyframe);
  const record::VerifyResult result = verify(recording_of(keyframe));
  EXPECT_EQ(result.ticks, 1'000U);
  EXPECT_EQ(result.damages, 0U);
}

/// The answer of an auditor to a stream that begins with this keyframe.
std::expected<std::optional<client::View>, net::DropReason> audited(
    client::Auditor& auditor, const std::vector<std::byte>& keyframe) {
  std::vector<std::byte> stream;
  protocol::encode_keyframe_entry(keyframe, stream);
  std::expected<std::optional<client::View>, net::DropReason> result;
  std::uint16_t number = 0;
  for (ConstBytes rest = stream; !rest.empty(); ++number) {
    const ConstBytes piece = rest.first(std::min(rest.size(), protocol::kAuditSegmentBytesMax));
    rest = rest.subspan(piece.size());
    protocol::AuditSegment segment{.head = {.segment = number}, .bytes = {}, .status = {}};
    for (const std::byte byte : piece) {
      segment.bytes.push_back(byte);
    }
    result = auditor.take(segment);
    EXPECT_TRUE(result || rest.empty());
  }
  return result;
}

TEST(Threat, CostlyFilesAnAuditorRefusesBodiesInOnePlace) {
  const RecordedMatch match;
  const auto rules = std::shared_ptr<const game::Rules>{&match.rules(), [](const auto*) {}};
  for (const auto& keyframe : {heap_of_crates(match), two_crates_in_one_place(match)}) {
    client::Auditor auditor{match.map(), rules, {}};
    const auto view = audited(auditor, keyframe);
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error(), net::DropReason::Malformed);
    EXPECT_EQ(auditor.runs(), 0U);
  }
}

/// A full room's first tick has all players appear where three of four spawn points are taken; in
/// its second all of them are hit, and appear once more.
TEST(Threat, CostlyFilesAllMayAppearAtOnceInARoomFullOfBullets) {
  constexpr Tick kTick{1'000};
  constexpr std::uint8_t kBulletLife = 60;
  const game::Arena arena{60};
  const game::SharedMap map = game::make_arena_map(game::kSeatsMax);
  game::World opened{map, arena.settings(), 1};
  arena.open(opened);
  std::vector<game::EntityState> entities;
  opened.append_entities(entities);
  for (std::uint32_t i = 0; i < 3 * game::kSeatsMax; ++i) {
    const std::uint32_t age = i % 3;
    const PlayerId owner{static_cast<std::uint16_t>(i / 3)};
    const Vec2 point = map->spawn_points[i];
    entities.push_back({.id = game::bullet_body(owner, {kTick.value - age}),
                        .min = {point.x + kUnit / 2, point.y + kUnit / 2},
                        .velocity = {},
                        .traits = {.kind = game::EntityKind::Bullet,
                                   .timer = static_cast<std::uint8_t>(kBulletLife - 1 - age)}});
  }
  std::ranges::sort(entities, {}, &game::EntityState::id);
  const std::vector<game::SeatState> seats(game::kSeatsMax);
  auto world =
      game::restore({.tick = kTick, .random = 7, .seats = seats, .entities = entities}, map, arena);
  ASSERT_TRUE(world) << game::describe(world.error());

  std::vector<PlayerId> everybody;
  std::vector<game::PlayerInput> shots;
  std::vector<game::Strike> strikes;
  for (std::uint16_t i = 0; i < game::kSeatsMax; ++i) {
    everybody.push_back({i});
    shots.push_back({.player = {i}, .input = {.buttons = game::kButtonRay}});
    const PlayerId victim{static_cast<std::uint16_t>((i + 1) % game::kSeatsMax)};
    strikes.push_back({.shooter = {i}, .victim = game::player_body(victim, 1)});
  }
  game::Stepper stepper;
  const game::TickCommands joins{.leaves = {}, .joins = everybody, .inputs = {}};
  ASSERT_TRUE(game::is_valid(*world, joins));
  game::step(*world, arena, joins, game::Authority::Server, stepper);
  const game::TickCommands hits{.leaves = {}, .joins = {}, .inputs = shots, .strikes = strikes};
  ASSERT_TRUE(game::is_valid(*world, hits));
  game::step(*world, arena, hits, game::Authority::Server, stepper);
  EXPECT_EQ(stepper.events.teleports.size(), game::kSeatsMax)
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
            "heap.json:1: body 0 overlaps more than 8 bodies at tick 0; move them apart");
}

}  // namespace
}  // namespace tickbox::tests
