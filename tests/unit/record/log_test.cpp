// What a log frames, and what a file keeps of it if its disk refuses some of it.

#include "record/segments.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::record {
namespace {

using tests::Deserted;
using tests::MemorySink;
using tests::pieces;
using tests::RecordedMatch;
using tests::RecordedMatchOptions;

constexpr Deserted kForEver{.first = {1}, .last = {1'000'000}};

/// The records of a file in words: type, tick and count of each.
std::string words(ConstBytes file) {
  std::string text;
  for (const auto& [offset, head] : pieces(file)) {
    text += "?KTQEUI"[static_cast<std::size_t>(head.type)];
    text += std::to_string(head.tick.value) + "," + std::to_string(head.count) + " ";
    const bool is_stretch = head.type == RecordType::Quiet || head.type == RecordType::Idle;
    EXPECT_TRUE(!is_stretch || head.payload_bytes == 8) << "a hash";
  }
  return text;
}

struct Recorded {
  LogFileStats stats;
  std::vector<std::byte> bytes;
};

Recorded recorded(const RecordedMatchOptions& options, std::uint32_t ticks) {
  RecordedMatch match{options};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, ticks);
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(writer.stats().bytes, sink.bytes.size());
  return {.stats = writer.stats(), .bytes = std::move(sink.bytes)};
}

// A batch is a tenth of a second, and a second of ticks that nothing enters in an empty room.
TEST(RoomLog, FramesABatchOfTicks) {
  const auto framed = [](RecordedMatchOptions options, std::uint32_t ticks) {
    options.tick_rate = 60;
    return words(recorded(options, ticks).bytes);
  };
  EXPECT_EQ(framed({}, 29), "K0,0 T1,6 T7,6 T13,6 T19,6 T25,5 E29,1 ");
  EXPECT_EQ(framed({.deserted = kForEver}, 150), "K0,0 Q1,60 Q61,60 Q121,30 E150,1 ");
  // Everybody leaves in tick 10, and comes back in tick 30.
  const Deserted some{.first = {10}, .last = {29}};
  EXPECT_EQ(framed({.all_stay = true, .deserted = some}, 40),
            "K0,0 T1,6 T7,4 Q11,19 T30,6 T36,5 E40,1 ");
  EXPECT_EQ(framed({.idles = true, .deserted = kForEver}, 150),
            "K0,0 I1,60 I61,60 I121,30 E150,1 ");
  EXPECT_EQ(framed({.all_stay = true, .idles = true, .deserted = some}, 40),
            "K0,0 T1,6 T7,4 I11,19 T30,6 T36,5 E40,1 ");
}

// The hash of a stretch of idle ticks is that of its last, whatever ends the stretch.
TEST(RoomLog, AsksForTheHashOfIdleTicksWhenTheirRecordEnds) {
  RecordedMatch match{{.tick_rate = 60, .idles = true, .deserted = kForEver}};
  MemorySink sink;
  std::vector<std::uint32_t> asked;
  tests::Writer writer{sink, match.header(), {.present_hash = [&] {
                         asked.push_back(match.world().tick.value);
                         return match.match().hash();
                       }}};
  const auto idle_to = [&](std::uint32_t last) {
    while (match.world().tick < Tick{last}) {
      match.step();
      writer.tick(match.match().encoded_tick());
    }
  };
  match.keyframe(writer);
  idle_to(70);
  writer.log().end_idle();
  idle_to(80);
  match.keyframe(writer);
  idle_to(90);
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(words(sink.bytes), "K0,0 I1,60 I61,10 I71,10 K80,1 I81,10 E90,2 ");
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{60, 70, 80, 90}));
  const VerifyResult result = tests::verify(sink.bytes);
  EXPECT_TRUE(result.held() && result.complete);
  EXPECT_EQ(result.ticks, 90U);
}

TEST(RoomLog, BeginsASegmentEveryFiveSecondsAndEveryMinuteOfAnEmptyRoom) {
  const auto keyframes_of = [](const RecordedMatchOptions& options, std::uint32_t ticks) {
    std::vector<std::uint32_t> keyframes;
    const Recorded made = recorded(options, ticks);
    for (const auto& piece : pieces(made.bytes)) {
      if (piece.head.type != RecordType::Keyframe) continue;
      EXPECT_EQ(piece.head.count, keyframes.size());
      keyframes.push_back(piece.head.tick.value);
    }
    EXPECT_EQ(made.stats.keyframes, keyframes.size());
    EXPECT_EQ(made.stats.ticks_recorded, ticks);
    EXPECT_TRUE(tests::verify(made.bytes).complete && tests::verify(made.bytes).held());
    return keyframes;
  };
  using Ticks = std::vector<std::uint32_t>;
  EXPECT_EQ(keyframes_of({}, 151), (Ticks{0, 50, 100, 150}));
  EXPECT_EQ(keyframes_of({.deserted = kForEver}, 1'201), (Ticks{0, 600, 1'200}));
  EXPECT_EQ(keyframes_of({.idles = true, .deserted = kForEver}, 1'201), (Ticks{0, 600, 1'200}));
}

TEST(RoomLog, BeginsARecordEarlyIfTheNextTickDoesNotFit) {
  const RecordedMatch match{{.tick_rate = 60}};
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.keyframe(writer);
  const std::vector<std::byte> bytes(kPayloadBytesMax * 2 / 5);
  for (std::uint32_t tick = 1; tick <= 4; ++tick) {
    writer.tick({.tick = {tick}, .state_hash = 0, .bytes = bytes});
  }
  EXPECT_TRUE(writer.finish());
  EXPECT_EQ(words(sink.bytes), "K0,0 T1,2 T3,2 E4,1 ");
}

TEST(RoomLog, CompressesKeyframesAndRepeatsTheHeaderInEachUncompressed) {
  const auto small = tests::small_recording(3, 5, {.seats = 64});
  const auto large = tests::small_recording(3, 5, {.seats = 64}, Compression::None);
  EXPECT_LT(small.size(), large.size());
  EXPECT_EQ(tests::verify(small), tests::verify(large));
  const auto header = encode_header(without_file(RecordedMatch{{.seats = 64}}.header()));
  for (const auto& piece : pieces(small)) {
    if (piece.head.type != RecordType::Keyframe) continue;
    EXPECT_EQ(piece.head.flags, kFlagCompressed);
    const ConstBytes payload = ConstBytes{small}.subspan(piece.offset + kRecordHeadBytes);
    EXPECT_TRUE(std::ranges::equal(payload.subspan(kKeyframeHeadBytes, header.size()), header));
  }
}

/// Keeps the heads of keyframes, and wants a segment while `wants` is set.
class Asking final : public Sink {
 public:
  void append(const LogRecord& record) override {
    if (record.head.type == RecordType::Keyframe) keyframes.push_back(record.head);
  }

  [[nodiscard]] bool wants_segment() const override { return wants; }

  bool wants = false;
  std::vector<RecordHead> keyframes;
};

// A file beside the sink that asks has all ticks: a number that is left out is no gap by itself.
TEST(RoomLog, LeavesOutANumberOnlyIfASinkAsksAndThatOnceASecond) {
  RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  Asking asking;
  writer.log().add(asking);
  match.record(writer, 12);
  asking.wants = true;
  match.record(writer, 25);
  asking.wants = false;
  match.record(writer, 60);
  ASSERT_TRUE(writer.finish());
  std::string keyframes;
  for (const RecordHead& head : asking.keyframes) {
    keyframes += std::to_string(head.tick.value) + "," + std::to_string(head.count) + " ";
  }
  EXPECT_EQ(keyframes, "0,0 12,2 22,4 32,6 82,7 ");
  const auto result = tests::verify(sink.bytes);
  EXPECT_TRUE(result.complete && result.held());
  EXPECT_EQ(result.ticks, 97U);
  EXPECT_EQ(result.segments_whole, 5U);
  EXPECT_EQ(result.segments_lost, 0U);
}

struct Refusal {
  const char* name = nullptr;
  std::uint32_t from = 0;
  std::uint32_t to = 0;    ///< the disk refuses everything in the ticks (from, to]
  std::uint32_t lost = 0;  ///< from there to the next segment
  std::uint32_t last = 0;  ///< tick that the file has
  Deserted deserted;
};

// After a loss a file goes on at a number that shows it. Ticks that are lost at the beginning or at
// the end are a gap too.
TEST(LogFile, GoesOnAfterARefusalAtASegmentThatShowsIt) {
  constexpr Deserted kNever{.first = {1'000}, .last = {1'001}};
  for (const Refusal& refusal : {Refusal{"in the middle", 20, 27, 11, 57, kNever},
                                 Refusal{"at the beginning", 0, 7, 10, 57, kNever},
                                 Refusal{"at the end", 54, 57, 3, 54, kNever},
                                 Refusal{"in an empty room", 15, 20, 20, 57, kForEver}}) {
    SCOPED_TRACE(refusal.name);
    RecordedMatch match{{.deserted = refusal.deserted}};
    MemorySink sink;
    tests::Writer writer{sink, match.header()};
    sink.room = refusal.from == 0 ? 0 : SIZE_MAX;
    match.record(writer, refusal.from);
    sink.room = 0;
    match.record(writer, refusal.to - refusal.from);
    if (refusal.to == 57) writer.log().flush();
    sink.room = SIZE_MAX;
    match.record(writer, 57 - refusal.to);
    EXPECT_TRUE(writer.finish());
    const LogFileStats& stats = writer.stats();
    EXPECT_EQ(stats.ticks_lost, refusal.lost);
    EXPECT_EQ(stats.ticks_recorded + stats.ticks_lost, 57U);
    EXPECT_EQ(stats.gaps, 1U);
    EXPECT_GT(stats.records_refused, 0U);
    EXPECT_EQ(stats.bytes, sink.bytes.size());
    const auto result = tests::verify(sink.bytes);
    EXPECT_EQ(result.ticks, stats.ticks_recorded);
    EXPECT_EQ(result.last_tick, Tick{refusal.last});
    EXPECT_EQ(result.gaps, 1U);
    EXPECT_TRUE(result.held());
    EXPECT_FALSE(result.complete);
  }
}

// Another sink has just asked, so the number of the next segment shows nothing.
TEST(LogFile, DoesNotGoOnAtASegmentThatWouldHideTheLoss) {
  RecordedMatch match;
  MemorySink sink;
  Asking asking;
  tests::Writer writer{sink, match.header()};
  writer.log().add(asking);
  match.record(writer, 20);
  asking.wants = true;
  match.record(writer, 1);
  asking.wants = false;
  sink.room = 0;
  match.record(writer, 1);
  sink.room = SIZE_MAX;
  match.keyframe(writer);
  match.record(writer, 15);
  EXPECT_TRUE(writer.finish());
  ASSERT_EQ(asking.keyframes.size(), 4U);
  EXPECT_EQ(asking.keyframes[2].count, asking.keyframes[1].count + 1);
  EXPECT_EQ(writer.stats().keyframes, 3U);
  EXPECT_EQ(writer.stats().ticks_lost, 9U);
  EXPECT_TRUE(tests::verify(sink.bytes).held());
  EXPECT_EQ(tests::verify(sink.bytes).gaps, 1U);
}

// Whatever a disk has taken is a recording without damage, and another file of the log has all.
TEST(LogFile, IsReadableWhateverIsRefused) {
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    SCOPED_TRACE(seed);
    RecordedMatch match{{.seed = seed}};
    MemorySink sink;
    MemorySink other_sink;
    Rng rng{seed};
    LogFile other{other_sink, match.header()};
    tests::Writer writer{sink, match.header()};
    writer.log().add(other);
    for (int i = 0; i < 300; ++i) {
      match.record(writer, 1);
      if (rng.chance(1, 20)) {
        sink.room = 0;
      } else if (rng.chance(1, 5)) {
        sink.room = SIZE_MAX;
      }
    }
    sink.room = SIZE_MAX;
    EXPECT_TRUE(writer.finish());
    const auto result = tests::verify(sink.bytes);
    EXPECT_GT(writer.stats().gaps, 0U);
    EXPECT_EQ(result.ticks, writer.stats().ticks_recorded);
    EXPECT_EQ(result.gaps, writer.stats().gaps);
    EXPECT_EQ(result.segments_whole, writer.stats().keyframes);
    EXPECT_EQ(result.segments_lost, 0U);
    EXPECT_TRUE(result.held());
    EXPECT_TRUE(other.finish());
    EXPECT_TRUE(tests::verify(other_sink.bytes).complete);
    EXPECT_EQ(tests::verify(other_sink.bytes).ticks, 300U);
  }
}

// A later file of the same log, as after a rotation: its header names its first segment.
TEST(LogFile, BeginsAtAnySegmentOfTheLog) {
  RecordedMatch match;
  MemorySink first;
  MemorySink sink;
  tests::Writer writer{first, match.header()};
  match.record(writer, 130);
  Header header = match.header();
  header.part = 4;
  LogFile file{sink, header};
  writer.log().add(file);
  match.record(writer, 50);
  EXPECT_TRUE(file.finish());
  header.first_segment = 3;
  EXPECT_EQ(Reader::open(sink.bytes).value().header(), header);
  const auto result = tests::verify(sink.bytes);
  EXPECT_TRUE(result.complete && result.held());
  EXPECT_EQ(result.ticks, 30U);
  EXPECT_EQ(result.segments_whole, 1U);
  EXPECT_EQ(result.last_tick, Tick{180});
}

TEST(LogFile, WithoutASegmentIsEmpty) {
  const RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  EXPECT_FALSE(writer.finish());
  EXPECT_TRUE(sink.bytes.empty());
}

TEST(LogFile, EndsWithATickWhoseStepNeverEnded) {
  for (const bool is_empty : {false, true}) {
    RecordedMatch match{
        {.tick_rate = 60, .deserted = is_empty ? std::optional{kForEver} : std::nullopt}};
    MemorySink sink;
    tests::Writer writer{sink, match.header()};
    match.record(writer, 20);  // some of them wait for their batch to be full
    const auto decided = match.decide();
    ASSERT_EQ(decided.request.inputs.empty(), is_empty);
    const auto requested = match.requested_bytes();
    EXPECT_TRUE(writer.unfinished(requested));
    auto reader = Reader::open(sink.bytes).value();
    while (reader.next() != Reader::Item::Unfinished) {
    }
    EXPECT_TRUE(std::ranges::equal(reader.unfinished().bytes, requested));
    EXPECT_EQ(reader.next(), Reader::Item::Finished);
    const auto result = tests::verify(sink.bytes, {.step_unfinished = true});
    EXPECT_EQ(result.ticks, 20U);
    EXPECT_EQ(result.unfinished, Tick{21});
    EXPECT_TRUE(result.held());
    EXPECT_FALSE(result.complete || result.ends_early);
  }
}

TEST(LogFile, HasNothingUnfinishedBehindLostTicks) {
  RecordedMatch match;
  MemorySink sink;
  tests::Writer writer{sink, match.header()};
  match.record(writer, 4);
  sink.room = 0;
  match.record(writer, 1);
  sink.room = SIZE_MAX;
  match.decide();
  EXPECT_FALSE(writer.unfinished(match.requested_bytes()));
  EXPECT_EQ(words(sink.bytes), "K0,0 T1,1 T2,1 T3,1 T4,1 E4,1 ");
  EXPECT_EQ(tests::verify(sink.bytes).gaps, 1U);
}

}  // namespace
}  // namespace tickbox::record
