// Several threads give exactly the result of one thread: for whole, cut, damaged and forged
// recordings.

#include "client/commands/replay/parallel_verify.h"

#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace tickbox::commands {
namespace {

using tests::pieces;
using tests::RecordedMatch;

constexpr std::uint32_t kSegments = 5;
constexpr std::uint32_t kTicksPerSegment = 9;

void expect_equal_results(const std::vector<std::byte>& file, const RecordedMatch& match,
                          const record::VerifyOptions& options = {}) {
  const auto reader = record::Reader::open(file);
  if (!reader) return;
  const auto serial = record::verify(*reader, match.game(), match.map(), options);
  for (const std::uint32_t jobs : {2U, 3U}) {
    EXPECT_EQ(verify_in_parallel(*reader, match.game(), match.map(), options, jobs), serial)
        << jobs << " jobs";
  }
}

TEST(ParallelVerify, AgreesOnAWholeRecordingAndItsRanges) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  expect_equal_results(file, match);
  for (std::uint32_t from = 0; from < 50; from += 4) {
    expect_equal_results(file, match, {.from = {from}, .to = {from + 13}});
  }
}

TEST(ParallelVerify, AgreesOnCutRecordings) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  for (std::size_t size = record::kFileHeaderBytes; size < file.size(); size += 61) {
    expect_equal_results({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size)}, match);
  }
}

TEST(ParallelVerify, AgreesOnDamagedRecordings) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  Rng rng{7};
  for (int round = 0; round < 300; ++round) {
    auto damaged = file;
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      damaged[rng.below(damaged.size())] ^= std::byte{1} << rng.below(8);
    }
    expect_equal_results(damaged, match);
    if (HasFailure()) FAIL() << "round " << round;
  }
}

// Right checksums over changed content: hashes that differ, and impossible commands and worlds.
TEST(ParallelVerify, AgreesOnForgedRecordings) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  Rng rng{8};
  std::uint32_t mismatched = 0;
  for (int round = 0; round < 600; ++round) {
    auto forged = file;
    for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
      const auto& record = records[rng.below(records.size())];
      forged[record.offset + record::kRecordHeadBytes + rng.below(record.head.payload_bytes)] =
          static_cast<std::byte>(rng.next());
    }
    tests::rechecksum(forged);
    expect_equal_results(forged, match);
    mismatched += tests::verify(forged).first_mismatch ? 1U : 0U;
    if (HasFailure()) FAIL() << "round " << round;
  }
  EXPECT_GT(mismatched, 50U);
}

TEST(ParallelVerify, AllThreadsGiveUp) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto reader = record::Reader::open(file).value();
  std::atomic<int> asked{0};
  (void)record::segments_of(reader, [&] { return ++asked < 0; });
  asked = -asked;  // finding the segments asks first
  const auto result = verify_in_parallel(reader, match.game(), match.map(),
                                         {.stopped = [&] { return ++asked > 12; }}, 3);
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.complete);
  EXPECT_LE(result.ticks, 12U);
  EXPECT_TRUE(result.held());
}

}  // namespace
}  // namespace tickbox::commands
