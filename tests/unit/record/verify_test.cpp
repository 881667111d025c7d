#include "record/verify.h"

#include "core/hash.h"
#include "engine/keyframe.h"
#include "games/arena/arena.h"
#include "tests/support/bytes.h"
#include "tests/support/changed_game.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/record/forged.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tickbox::record {
namespace {

using tests::Deserted;
using tests::Forge;
using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;
using tests::Told;

/// A match whose first players are still there when a keyframe follows the change of an input.
const tests::RecordedMatchOptions kLongStay{.seed = 4};

tests::RecordedMatchOptions with(tests::RecordedMatchOptions options, const Forge& forge) {
  options.forge = forge;
  return options;
}

/// Returns a forge that writes into the log of tick `at` that a player turned round.
Forge turns_round_in(Tick at) {
  return [at](Tick tick, Told& told) {
    if (tick == at) tests::turn_round(told);
  };
}

TEST(Verify, AgreesWithEveryTickOfAMatch) {
  RecordedMatch match{{.tick_rate = 60, .seats = 24, .seed = 3}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 1'500);
  ASSERT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_EQ(result.ticks, 1'500U);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_FALSE(result.first_mismatch);
  EXPECT_TRUE(result.complete);
  EXPECT_FALSE(result.ends_early);
  EXPECT_EQ(result.segments_whole, 6U);
  EXPECT_EQ(result.segments_lost, 0U);
  EXPECT_EQ(result.recovered_ticks, 0U);
  EXPECT_EQ(result.last_tick, Tick{1'500});
  EXPECT_TRUE(result.held());
}

TEST(Verify, NamesTickEntityAndFieldOfAChangedInput) {
  constexpr Tick kChanged{17};
  const auto result =
      tests::verify(tests::small_recording(3, 12, with(kLongStay, turns_round_in(kChanged))));
  EXPECT_FALSE(result.held());
  EXPECT_EQ(result.damages, 0U);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, kChanged);
  EXPECT_EQ(result.first_mismatch->compared, Tick{24}) << "the keyframe that follows";
  ASSERT_TRUE(result.first_mismatch->what.entity);
  EXPECT_TRUE(result.first_mismatch->what.subject.starts_with("Hero #"));
  EXPECT_EQ(result.first_mismatch->what.field, "x");
  EXPECT_NE(result.first_mismatch->what.expected, result.first_mismatch->what.got);
  // The keyframe after it sets the replay right again.
  EXPECT_EQ(result.ticks, 36U);
  EXPECT_EQ(result.mismatched, 24 - kChanged.value + 1);
  EXPECT_EQ(result.segments_whole, 3U);
}

TEST(Verify, GivesTheHashesWhereNoKeyframeFollows) {
  const auto result = tests::verify(tests::small_recording(2, 12, with({}, turns_round_in({17}))));
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, Tick{17});
  EXPECT_EQ(result.first_mismatch->compared, Tick{17});
  EXPECT_FALSE(result.first_mismatch->what.entity);
  EXPECT_EQ(result.first_mismatch->what.field, "state_hash");
  EXPECT_EQ(result.first_mismatch->what.expected.size(), 16U);
  EXPECT_EQ(result.first_mismatch->what.got.size(), 16U);
}

TEST(Verify, ComparesKeyframesToo) {
  RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 12);
  engine::World changed = match.world();
  const std::string got = std::to_string(changed.body(1).velocity.y);
  changed.change_body(1, [](sim::Body& body) { ++body.velocity.y; });
  std::vector<std::byte> bytes;
  engine::encode_keyframe(changed, match.match().hash(),
                          std::vector(tests::kMatchSeats, engine::InputSource::Neutral), bytes);
  writer.keyframe(changed.tick, bytes);
  ASSERT_TRUE(writer.finish());
  const auto result = tests::verify(sink.bytes);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, Tick{12});
  EXPECT_EQ(result.first_mismatch->what.entity, changed.id(1));
  EXPECT_EQ(result.first_mismatch->what.field, "vy");
  EXPECT_EQ(result.first_mismatch->what.got, got);
}

/// Changes the hash that stands first in a record. At 10 Hz a record of ticks has one tick.
void spoil_hash(std::vector<std::byte>& file, const tests::Piece& record) {
  file[record.offset + kRecordHeadBytes] ^= std::byte{1};
  tests::rechecksum(file);
}

TEST(Verify, NamesAWrongHash) {
  auto file = tests::small_recording(2, 12);
  const auto record = pieces(file)[5];
  spoil_hash(file, record);
  const auto result = tests::verify(file);
  EXPECT_EQ(result.mismatched, 1U);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, record.head.tick);
  EXPECT_EQ(result.first_mismatch->what.field, "state_hash");
}

// Of ticks that nothing entered, in a room that nobody is in, there is the hash of the last.
TEST(Verify, ComparesTheEndOfAQuietStretch) {
  const tests::RecordedMatchOptions deserted{.all_stay = true,
                                             .deserted = Deserted{.first = {8}, .last = {31}}};
  auto file = tests::small_recording(1, 45, deserted);
  EXPECT_EQ(tests::verify(file).ticks, 45U);
  EXPECT_TRUE(tests::verify(file).complete && tests::verify(file).held());
  const auto records = pieces(file);
  const auto quiet = std::ranges::find(records, RecordType::Quiet,
                                       [](const auto& piece) { return piece.head.type; });
  ASSERT_TRUE(quiet != records.end());
  ASSERT_EQ(quiet->head.tick, Tick{9});
  ASSERT_EQ(quiet->head.count, 10U);
  spoil_hash(file, *quiet);
  const auto result = tests::verify(file);
  EXPECT_EQ(result.ticks, 45U);
  EXPECT_EQ(result.mismatched, 1U);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, Tick{18});
  EXPECT_EQ(result.first_mismatch->what.field, "state_hash");
  // Also if the range has only a part of the quiet record.
  const auto cut = tests::verify(file, {.from = {10}, .to = {12}});
  EXPECT_EQ(cut.ticks, 3U);
  EXPECT_EQ(cut.mismatched, 1U);
}

/// Verifies a match of the menagerie, in which much moves without players. Its idle ticks are
/// logged as quiet ones, or quiet ones, which were stepped, as idle.
VerifyResult verify_mislogged(bool idles) {
  RecordedMatch match{{.all_stay = true,
                       .idles = idles,
                       .game = &tests::menagerie(),
                       .deserted = Deserted{.first = {30}, .last = {60}}}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.keyframe(writer);
  for (int i = 0; i < 70; ++i) {
    const tests::PlayedTick& played = match.step();
    writer.tick({.tick = played.tick,
                 .state_hash = played.state_hash,
                 .is_quiet = played.is_idle,
                 .is_idle = played.is_quiet,
                 .bytes = played.bytes});
  }
  EXPECT_TRUE(writer.finish());
  return verify(Reader::open(sink.bytes).value(), match.game(), match.map());
}

// The world of an idle tick stands at both ends. A tick that one of them steps is found.
TEST(Verify, FindsAnIdleTickThatOneEndHasStepped) {
  for (const bool idles : {false, true}) {
    const VerifyResult result = verify_mislogged(idles);
    EXPECT_GT(result.mismatched, 1U) << idles;
    ASSERT_TRUE(result.first_mismatch) << idles;
    EXPECT_GT(result.first_mismatch->tick, Tick{30}) << idles;
    EXPECT_LE(result.first_mismatch->tick, Tick{40}) << "the end of the first record";
  }
}

TEST(Verify, AgreesWithIdleTicks) {
  const tests::RecordedMatchOptions deserted{
      .all_stay = true, .idles = true, .deserted = Deserted{.first = {8}, .last = {31}}};
  const auto file = tests::small_recording(2, 20, deserted);  // a keyframe in the stretch
  const auto result = tests::verify(file, {.twice = true});
  EXPECT_EQ(result.ticks, 40U);
  EXPECT_TRUE(result.complete && result.held());
}

TEST(Verify, ComparesOnlyTheTicksAskedFor) {
  const auto good = tests::small_recording(4, 10, kLongStay);
  const auto verify_range = [](ConstBytes file, std::uint32_t from, std::uint32_t to) {
    return tests::verify(file, {.from = {from}, .to = {to}});
  };
  EXPECT_EQ(verify_range(good, 1, 40).ticks, 40U);
  EXPECT_EQ(verify_range(good, 17, 23).ticks, 7U);
  EXPECT_EQ(verify_range(good, 20, 20).ticks, 1U);
  EXPECT_EQ(verify_range(good, 21, 21).ticks, 1U);
  EXPECT_EQ(verify_range(good, 41, 90).ticks, 0U);
  EXPECT_TRUE(verify_range(good, 17, 23).complete);
  constexpr std::uint32_t kChanged = 13;
  const auto forged = tests::small_recording(4, 10, with(kLongStay, turns_round_in({kChanged})));
  EXPECT_EQ(verify_range(forged, 1, kChanged - 1).mismatched, 0U);
  EXPECT_EQ(verify_range(forged, 1, kChanged).mismatched, 1U);
  EXPECT_EQ(verify_range(forged, 21, 40).mismatched, 0U);
  // The keyframe behind the range still tells which field it was.
  EXPECT_TRUE(verify_range(forged, 1, kChanged).first_mismatch->what.entity);
}

TEST(Verify, TellsOfProgress) {
  const auto file = tests::small_recording(2, 10);
  std::vector<std::uint32_t> shares;
  (void)tests::verify(file, {.progress = [&](std::uint32_t share) { shares.push_back(share); }});
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1'000U);
}

/// Up to two bytes of one payload are changed and the checksums made right again, so that only the
/// content can be wrong. The replay may find differences, and must not break.
TEST(Verify, SurvivesForgedContent) {
  for (const Compression compression : {Compression::Zstd, Compression::None}) {
    const auto file = tests::small_recording(3, 12, {}, compression);
    const auto records = pieces(file);
    Rng rng{44};
    std::uint32_t found = 0;
    for (int round = 0; round < 3'000; ++round) {
      auto forged = file;
      const auto& record = records[rng.below(records.size())];
      for (int n = 0; n < 2; ++n) {
        const std::size_t at =
            record.offset + kRecordHeadBytes + rng.below(record.head.payload_bytes);
        forged[at] = static_cast<std::byte>(rng.next());
      }
      tests::rechecksum(forged);
      const auto result = tests::verify(forged);
      EXPECT_LE(result.ticks, 36U);
      found += result.held() ? 0U : 1U;
    }
    EXPECT_GT(found, 1'000U);
  }
}

// The number after the highest would be 0 again: counts of segments must not wrap around too.
TEST(Verify, TakesNoSegmentBeyondTheLastNumber) {
  const RecordedMatch match;
  auto file = tests::small_recording(3, 2);
  const auto records = pieces(file);
  const auto keyframe_at = std::ranges::find_if(records, [](const tests::Piece& piece) {
    return piece.head.type == RecordType::Keyframe && piece.head.count == 1;
  });
  RecordHead head = keyframe_at->head;
  head.count = std::numeric_limits<std::uint32_t>::max();
  const MutableBytes keyframe = MutableBytes{file}.subspan(keyframe_at->offset, record_bytes(head));
  store_head(keyframe, head);
  const MutableBytes checksum = keyframe.last(kChecksumBytes);
  store_le(checksum, hash_bytes(keyframe.first(keyframe.size() - kChecksumBytes),
                                Chain{match.header()}.seed_after(0)));
  file.resize(keyframe_at->end());
  file[records[1].offset] ^= std::byte{1};  // after damage, later segments than the next may come
  const auto result = tests::verify(file);
  EXPECT_EQ(result.segments_whole, 0U);
  EXPECT_EQ(result.segments_lost, 1U);
}

/// Verifies two segments of 12 ticks after `change` was applied to the log of tick `at`.
VerifyResult verify_forged(Tick at, const std::function<void(Told&)>& change) {
  const Forge forge = [&](Tick tick, Told& told) {
    if (tick == at) change(told);
  };
  return tests::verify(tests::small_recording(2, 12, with({}, forge)));
}

TEST(Verify, CallsStrikesThatCannotBeDamage) {
  const auto damages_of = [](engine::Strike strike) {
    return verify_forged({4}, [&](Told& told) { told.record.strikes.push_back(strike); }).damages;
  };
  EXPECT_EQ(damages_of({.shooter = {2}, .victim = {0xfff}}), 0U) << "it strikes nobody";
  EXPECT_EQ(damages_of({.shooter = {4'000}, .victim = {}}), 1U);
  EXPECT_EQ(damages_of({.shooter = {tests::kMatchSeats}, .victim = {}}), 1U);
}

void expect_the_second_segment_alone(const VerifyResult& result) {
  EXPECT_EQ(result.damages, 1U);
  EXPECT_EQ(result.segments_lost, 1U);
  EXPECT_EQ(result.segments_whole, 1U);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_EQ(result.recovered_ticks, 12U);
}

/// Verifies a recording whose log has other bytes for tick `at`.
VerifyResult verify_with(Tick at, const std::vector<std::byte>& bytes) {
  return verify_forged(at, [&](Told& told) { told.bytes = bytes; });
}

TEST(Verify, CallsCommandsThatCannotBeDamage) {
  // Lists: 1 leaves, 2 joins, 4 inputs, 8 outcomes. The outcomes 0 and 2: left, joined.
  const auto nobody_leaves = verify_with({1}, tests::bytes({1 + 8, 1, 1, 1, 1, 0}));
  expect_the_second_segment_alone(nobody_leaves);
  EXPECT_EQ(nobody_leaves.ticks, 12U);
  const auto joins_again = verify_with({3}, tests::join_of(8));
  expect_the_second_segment_alone(joins_again);
  EXPECT_EQ(joins_again.ticks, 2U + 12U);
  const auto is_no_tick = verify_with({10}, tests::bytes({16}));
  expect_the_second_segment_alone(is_no_tick);
  EXPECT_EQ(is_no_tick.ticks, 9U + 12U);
  const auto plays_without_a_seat = verify_with({10}, tests::bytes({4, 1, 100, 0}));
  expect_the_second_segment_alone(plays_without_a_seat);
  EXPECT_EQ(plays_without_a_seat.ticks, 9U + 12U);
}

TEST(Verify, CallsAQuietOrIdleTickInARoomWithPlayersDamage) {
  for (const RecordType type : {RecordType::Quiet, RecordType::Idle}) {
    tests::Forged crowded;
    const std::vector<std::byte> hash(8);
    crowded.keyframe()
        .add({.type = RecordType::Ticks, .tick = {1}, .count = 1},
             tests::tick_with(tests::join_of(8)))
        .add({.type = type, .tick = {2}, .count = 3}, hash);
    const auto result = tests::verify(crowded.bytes());
    EXPECT_EQ(result.ticks, 1U);
    EXPECT_EQ(result.damages, 1U);
  }
}

TEST(Verify, CallsAWorldThatIsNoneDamage) {
  auto world = tests::Forged{}.world();
  world.push_back(std::byte{0});
  tests::Forged forged;
  forged.keyframe(static_cast<std::uint32_t>(world.size()), world, 0);
  const auto result = tests::verify(forged.bytes());
  EXPECT_EQ(result.damages, 1U);
  EXPECT_EQ(result.segments_lost, 1U);
  EXPECT_EQ(result.segments_whole, 0U);
}

// A game that counts its ticks in a static: one stepper that begins as the server did repeats them.
TEST(Verify, TwiceFindsAGameThatRemembersOutsideOfItsState) {
  std::uint32_t remembered = 0;
  const tests::ChangedGame game{
      games::arena(), {.after = [&](const tests::MidTick& tick) {
        if (tests::ChangedGame::is_trial(tick.world()) || tick.world().size() == 0) return;
        if (++remembered % 20 == 0) tick.flip(tick.world().id(0), "vx", 0);
      }}};
  const auto verify = [&](ConstBytes file, bool twice) {
    remembered = 0;
    const auto reader = Reader::open(file).value();
    return record::verify(reader, game, tests::played_in(reader.header()).map, {.twice = twice});
  };
  const auto file = tests::small_recording(1, 60, {.seed = 4, .game = &game});
  EXPECT_TRUE(verify(file, false).held());
  const auto twice = verify(file, true);
  EXPECT_FALSE(twice.held());
  ASSERT_TRUE(twice.unrepeatable);
  EXPECT_LE(twice.unrepeatable->tick, Tick{20});
  EXPECT_TRUE(twice.unrepeatable->what.entity);
  EXPECT_NE(twice.unrepeatable->what.expected, twice.unrepeatable->what.got);

  const auto good = tests::small_recording(3, 20, {.seed = 4});
  EXPECT_EQ(tests::verify(good, {.twice = true}), tests::verify(good));
}

// What was found before the verification was given up counts. Nothing is said about the rest.
TEST(Verify, GivenUpItTellsWhatItFoundSoFar) {
  constexpr Tick kChanged{2};
  const auto good = tests::small_recording(4, 10);
  const auto forged = tests::small_recording(4, 10, with({}, turns_round_in(kChanged)));
  int asked = 0;
  (void)segments_of(Reader::open(good).value(), [&] { return ++asked < 0; });
  const int records = asked;
  const auto give_up_after = [&](int ticks, ConstBytes file) {
    asked = -records;
    return tests::verify(file, {.stopped = [&asked, ticks] { return asked++ > ticks; }});
  };
  const auto whole = tests::verify(good);
  const auto some = give_up_after(15, good);
  EXPECT_TRUE(some.interrupted);
  EXPECT_FALSE(some.complete);
  EXPECT_GT(some.ticks, 0U);
  EXPECT_LT(some.ticks, 16U);
  EXPECT_EQ(some.segments_whole, whole.segments_whole);
  EXPECT_TRUE(some.held());
  EXPECT_EQ(give_up_after(-1, good).ticks, 0U);
  const auto unread = give_up_after(-records / 2, good);
  EXPECT_TRUE(unread.interrupted && !unread.complete);
  EXPECT_EQ(unread.ticks, 0U);
  EXPECT_LT(unread.segments_whole, whole.segments_whole);
  EXPECT_EQ(give_up_after(1'000, good), whole)
      << "it was asked to give up when there was nothing left";

  const auto differs = give_up_after(static_cast<int>(kChanged.value) + 5, forged);
  EXPECT_TRUE(differs.interrupted);
  ASSERT_TRUE(differs.first_mismatch);
  EXPECT_EQ(differs.first_mismatch->tick, kChanged);
  EXPECT_FALSE(differs.held());
}

}  // namespace
}  // namespace tickbox::record
