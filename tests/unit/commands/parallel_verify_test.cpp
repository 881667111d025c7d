// Several threads give exactly the result of one thread: for whole, damaged and forged recordings.
// Those that end early are among the tests of `replay verify`.

#include "client/commands/replay/verify_files.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace tickbox::commands::parallel_verify_test {
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

// Bits that differ, and right checksums over changed content: hashes that differ, and impossible
// commands and worlds.
TEST(ParallelVerify, AgreesOnDamagedAndOnForgedRecordings) {
  const RecordedMatch match;
  const auto file = tests::small_recording(kSegments, kTicksPerSegment);
  const auto records = pieces(file);
  Rng rng{8};
  std::uint32_t mismatched = 0;
  for (int round = 0; round < 900; ++round) {
    auto changed = file;
    const bool is_forged = round % 3 != 0;
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
      const auto& record = records[rng.below(records.size())];
      const std::size_t in_record = record.offset + record::kRecordHeadBytes;
      std::byte& byte = changed[is_forged ? in_record + rng.below(record.head.payload_bytes)
                                          : rng.below(file.size())];
      byte = is_forged ? static_cast<std::byte>(rng.next()) : byte ^ std::byte{1} << rng.below(8);
    }
    if (is_forged) tests::rechecksum(changed);
    expect_equal_results(changed, match);
    mismatched += tests::verify(changed).first_mismatch ? 1U : 0U;
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
}  // namespace tickbox::commands::parallel_verify_test
