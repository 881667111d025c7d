#include "record/verify.h"

#include "core/hash.h"
#include "tests/support/recorded_match.h"

#include "schema/record_generated.h"
#include "schema/world_generated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace tickbox::record {
namespace {

using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;

template <class Root>
Root* payload_of(std::vector<std::byte>& file, const tests::Piece& record) {
  return flatbuffers::GetMutableRoot<Root>(file.data() + record.offset + kRecordHeadBytes);
}

/// A match whose first players are still there when a keyframe follows the change of an input.
const tests::RecordedMatchOptions kLongStay{.seed = 4};

/// A player turns round in the first tick of the segment's second record that has an input in it.
/// Returns that tick.
Tick change_an_input(std::vector<std::byte>& file, std::size_t from_record) {
  const auto records = pieces(file);
  for (std::size_t i = from_record; i < records.size(); ++i) {
    if (records[i].head.type != RecordType::Ticks) {
      continue;
    }
    auto* ticks = payload_of<schema::Ticks>(file, records[i]);
    if (ticks->inputs()->size() == 0) {
      continue;
    }
    auto* input = ticks->mutable_inputs()->GetMutableObject(0);
    input->mutate_move(input->move() == 1 ? 5 : 1);
    tests::rechecksum(file);
    return records[i].head.tick;
  }
  return {};
}

TEST(Verify, AgreesWithEveryTickOfAMatch) {
  RecordedMatch match{{.tick_rate = 60, .seats = 24, .seed = 3}};
  MemorySink sink;
  Writer writer{sink, match.header()};
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
  auto file = tests::small_recording(3, 12, kLongStay);
  const Tick changed = change_an_input(file, 18);
  ASSERT_GT(changed, Tick{12});
  const auto result = tests::verify(file);
  EXPECT_FALSE(result.held());
  EXPECT_EQ(result.damages, 0U);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, changed);
  ASSERT_TRUE(result.first_mismatch->what.entity);
  EXPECT_TRUE(game::has_kind(*result.first_mismatch->what.entity, game::EntityKind::Player));
  EXPECT_EQ(result.first_mismatch->what.field, "x");
  EXPECT_NE(result.first_mismatch->what.expected, result.first_mismatch->what.got);
  // The keyframe after it sets the replay right again.
  EXPECT_EQ(result.ticks, 36U);
  EXPECT_EQ(result.mismatched, 24 - changed.value + 1);
  EXPECT_EQ(result.segments_whole, 3U);
}

TEST(Verify, GivesTheHashesWhereNoKeyframeFollows) {
  auto file = tests::small_recording(2, 12);
  const Tick changed = change_an_input(file, 18);
  const auto result = tests::verify(file);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, changed);
  EXPECT_FALSE(result.first_mismatch->what.entity);
  EXPECT_EQ(result.first_mismatch->what.field, "state_hash");
  EXPECT_EQ(result.first_mismatch->what.expected.size(), 16U);
  EXPECT_EQ(result.first_mismatch->what.got.size(), 16U);
}

TEST(Verify, ComparesKeyframesToo) {
  auto file = tests::small_recording(3, 12);
  const auto keyframe_record = pieces(file)[13];
  ASSERT_EQ(keyframe_record.head.type, RecordType::Keyframe);
  auto* entity =
      payload_of<schema::Keyframe>(file, keyframe_record)->mutable_entities()->GetMutableObject(1);
  const BodyId id{entity->id()};
  const std::string got = std::to_string(entity->vy());
  entity->mutate_vy(entity->vy() + 1);
  tests::rechecksum(file);
  const auto result = tests::verify(file);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, Tick{12});
  EXPECT_EQ(result.first_mismatch->what.entity, id);
  EXPECT_EQ(result.first_mismatch->what.field, "vy");
  EXPECT_EQ(result.first_mismatch->what.got, got);
}

TEST(Verify, NamesAWrongHash) {
  auto file = tests::small_recording(2, 12);
  const auto record = pieces(file)[5];
  auto* ticks = payload_of<schema::Ticks>(file, record);
  auto* head = ticks->mutable_ticks()->GetMutableObject(0);
  head->mutate_state_hash(head->state_hash() ^ 1);
  tests::rechecksum(file);
  const auto result = tests::verify(file);
  EXPECT_EQ(result.mismatched, 1U);
  ASSERT_TRUE(result.first_mismatch);
  EXPECT_EQ(result.first_mismatch->tick, record.head.tick);
  EXPECT_EQ(result.first_mismatch->what.field, "state_hash");
}

TEST(Verify, ComparesOnlyTheTicksAskedFor) {
  auto file = tests::small_recording(4, 10, kLongStay);
  const auto verify_range = [&](std::uint32_t from, std::uint32_t to) {
    return tests::verify(file, {.from = {from}, .to = {to}});
  };
  EXPECT_EQ(verify_range(1, 40).ticks, 40U);
  EXPECT_EQ(verify_range(17, 23).ticks, 7U);
  EXPECT_EQ(verify_range(20, 20).ticks, 1U);
  EXPECT_EQ(verify_range(21, 21).ticks, 1U);
  EXPECT_EQ(verify_range(41, 90).ticks, 0U);
  EXPECT_TRUE(verify_range(17, 23).complete);
  const Tick changed = change_an_input(file, 14);
  ASSERT_TRUE(changed > Tick{10} && changed < Tick{19});
  EXPECT_EQ(verify_range(1, changed.value - 1).mismatched, 0U);
  EXPECT_EQ(verify_range(1, changed.value).mismatched, 1U);
  EXPECT_EQ(verify_range(21, 40).mismatched, 0U);
  // The keyframe behind the range still tells which field it was.
  EXPECT_TRUE(verify_range(1, changed.value).first_mismatch->what.entity);
}

TEST(Verify, TellsOfProgress) {
  const auto file = tests::small_recording(2, 10);
  std::vector<std::uint32_t> shares;
  (void)tests::verify(file, {.progress = [&](std::uint32_t share) { shares.push_back(share); }});
  EXPECT_TRUE(std::ranges::is_sorted(shares));
  EXPECT_EQ(shares.back(), 1'000U);
}

/// Two bytes of every payload are changed and the checksums made right again: content that is
/// checked for sense at every step.  The replay may find differences, and must not break.
TEST(Verify, SurvivesForgedContent) {
  const auto file = tests::small_recording(3, 12);
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

// The number after the highest would be 0 again: counts of segments must not come round with it.
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

TEST(Verify, CallsStrikesThatCannotBeDamage) {
  const auto good = tests::small_recording(2, 12);
  const auto alter_first_strike = [&](auto&& alter) {
    auto file = good;
    for (const tests::Piece& piece : pieces(file)) {
      if (piece.head.type != RecordType::Ticks) continue;
      auto* strikes = payload_of<schema::Ticks>(file, piece)->mutable_strikes();
      if (strikes->size() == 0) continue;
      alter(*strikes->GetMutableObject(0));
      tests::rechecksum(file);
      return tests::verify(file);
    }
    ADD_FAILURE() << "no strikes";
    return tests::verify(file);
  };
  EXPECT_EQ(alter_first_strike([](auto&) {}).damages, 0U);
  EXPECT_EQ(alter_first_strike([](auto& s) { s.mutate_shooter(4'000); }).damages, 1U);
  EXPECT_EQ(alter_first_strike([](auto& s) { s.mutate_victim(s.victim() | 0xfff); }).damages, 1U);
  EXPECT_EQ(alter_first_strike([](auto& s) { s.mutate_victim(1U << 30); }).damages, 1U)
      << "a crate";
}

TEST(Verify, CallsCommandsThatCannotBeDamage) {
  auto file = tests::small_recording(2, 12);
  // Who has just joined joins again.
  const auto records = pieces(file);
  bool forged = false;
  for (std::size_t i = 1; i < 10 && !forged; ++i) {
    auto* ticks = payload_of<schema::Ticks>(file, records[i]);
    if (ticks->leaves()->size() > 0) {
      continue;
    }
    if (ticks->joins()->size() > 0) {
      // Their join becomes a leave: the counts of the tick are exchanged, and so are the lists.
      const auto* head = ticks->ticks()->Get(0);
      schema::TickHead swapped{head->state_hash(), head->joins(), 0, head->inputs(), 0};
      flatbuffers::FlatBufferBuilder builder;
      std::vector<std::uint16_t> players{ticks->joins()->begin(), ticks->joins()->end()};
      std::vector<schema::RecordedInput> inputs;
      for (const auto* input : *ticks->inputs()) {
        inputs.push_back(*input);
      }
      const auto strikes_at = builder.CreateVectorOfStructs(std::vector<schema::Strike>{});
      const auto inputs_at = builder.CreateVectorOfStructs(inputs);
      const auto joins_at = builder.CreateVector(std::vector<std::uint16_t>{});
      const auto leaves_at = builder.CreateVector(players);
      const auto heads_at = builder.CreateVectorOfStructs(&swapped, 1);
      builder.Finish(
          schema::CreateTicks(builder, heads_at, leaves_at, joins_at, inputs_at, strikes_at));
      ASSERT_LE(builder.GetSize(), records[i].head.payload_bytes);
      std::copy_n(reinterpret_cast<const std::byte*>(builder.GetBufferPointer()), builder.GetSize(),
                  file.begin() + static_cast<std::ptrdiff_t>(records[i].offset + kRecordHeadBytes));
      tests::rechecksum(file);
      forged = true;
    }
  }
  ASSERT_TRUE(forged);
  const auto result = tests::verify(file);
  EXPECT_EQ(result.damages, 1U);
  EXPECT_EQ(result.segments_lost, 1U);
  EXPECT_EQ(result.segments_whole, 1U);
  EXPECT_EQ(result.mismatched, 0U);
  EXPECT_EQ(result.recovered_ticks, 12U);
}

// What was found before it was given up holds; that all of it holds is not said.
TEST(Verify, GivenUpItTellsWhatItFoundSoFar) {
  auto file = tests::small_recording(4, 10);
  int asked = 0;
  (void)segments_of(Reader::open(file).value(), [&] { return ++asked < 0; });
  const int records = asked;
  const auto give_up_after = [&](int ticks) {
    asked = -records;
    return tests::verify(file, {.stopped = [&asked, ticks] { return asked++ > ticks; }});
  };
  const auto whole = tests::verify(file);
  const auto some = give_up_after(15);
  EXPECT_TRUE(some.interrupted);
  EXPECT_FALSE(some.complete);
  EXPECT_GT(some.ticks, 0U);
  EXPECT_LT(some.ticks, 16U);
  EXPECT_EQ(some.segments_whole, whole.segments_whole);
  EXPECT_TRUE(some.held());
  EXPECT_EQ(give_up_after(-1).ticks, 0U);
  const auto unread = give_up_after(-records / 2);
  EXPECT_TRUE(unread.interrupted && !unread.complete);
  EXPECT_EQ(unread.ticks, 0U);
  EXPECT_LT(unread.segments_whole, whole.segments_whole);
  EXPECT_EQ(give_up_after(1'000), whole) << "it was asked to give up when there was nothing left";

  const Tick changed = change_an_input(file, 0);
  ASSERT_GT(changed.value, 0U);
  const auto differs = give_up_after(static_cast<int>(changed.value) + 5);
  EXPECT_TRUE(differs.interrupted);
  ASSERT_TRUE(differs.first_mismatch);
  EXPECT_EQ(differs.first_mismatch->tick, changed);
  EXPECT_FALSE(differs.held());
}

}  // namespace
}  // namespace tickbox::record
