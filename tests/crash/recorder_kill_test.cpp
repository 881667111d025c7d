// A recorder is killed at a random instant, again and again.
//
// Checked exactly: the file has all bytes whose write had returned; it verifies; its ticks are the
// first of those handed over, without a gap. Measured: how long before the kill the oldest missing
// tick was handed over. It waited for its record to be whole (at most 100 ms of play), for the
// writing thread to run, and for the write. The last two depend on the machine, so the limit of a
// single case is generous, and the figures are printed.

#include "core/rng.h"
#include "os/process/steady_clock.h"
#include "tests/crash/kill_options.h"
#include "tests/crash/shared_page.h"
#include "tests/integration/programs.h"
#include "tests/support/paths.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

namespace tickbox::crash {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kRate = 60;
/// A noisy machine may let a thread wait.
constexpr Duration kPatience = 5s;

/// What a kill has left.
struct Remains {
  std::uint64_t written = 0;  ///< bytes, as the recorder knew
  std::uint32_t handed = 0;   ///< the last tick, as the recorder knew
  Duration oldest_lost{};     ///< how long before the kill it was handed over
  std::vector<std::byte> file;
};

struct Kill {
  std::uint64_t seed = 0;  ///< of the match
  std::uint32_t rate = 0;  ///< ticks per second; 0: as fast as it can
  Duration after{};        ///< its first tick
};

std::vector<std::byte> bytes_of(const std::string& path) {
  const std::string text = os::text_of(path);
  const auto bytes = std::as_bytes(std::span{text});
  return {bytes.begin(), bytes.end()};
}

Remains kill_recorder(const os::TemporaryFolder& folder, const Kill& kill) {
  const std::string path = folder.file("match.tickbox");
  const std::string page_path = folder.file("page");
  SharedPage page{page_path};
  const os::SteadyClock clock;
  integration::Process recorder{
      {.program = tests::built_program("crash-recorder"),
       .arguments = {path, page_path, std::to_string(kill.seed), std::to_string(kill.rate)}}};
  EXPECT_TRUE(integration::eventually([&] { return page->ticks.load() > 0; }));
  os::sleep_until(clock.now() + kill.after);
  const Instant killed = clock.now();
  const std::uint32_t handed = page->ticks.load(std::memory_order_acquire);
  const std::uint64_t written = page->written.load(std::memory_order_acquire);
  recorder.signal(SIGKILL);
  EXPECT_EQ(integration::finish(recorder).exit_code, 128 + SIGKILL);
  Remains remains{.written = written, .handed = handed, .file = bytes_of(path)};
  // A file without a header has lost everything.
  const bool has_header = record::Reader::open(remains.file).has_value();
  const std::uint32_t last = has_header ? tests::verify(remains.file).last_tick.value : 0;
  if (last < handed) {
    remains.oldest_lost = killed.time_since_epoch() - page->handed_at(last + 1);
  }
  std::filesystem::remove(path);
  std::filesystem::remove(page_path);
  return remains;
}

void expect_sound(const Remains& remains) {
  EXPECT_GE(remains.file.size(), remains.written);
  const auto reader = record::Reader::open(remains.file);
  if (!reader) {
    EXPECT_EQ(reader.error(), record::RecordError::HeaderCut);
    EXPECT_EQ(remains.written, 0U);
    return;
  }
  const auto result = tests::verify(remains.file);
  EXPECT_TRUE(result.held());
  EXPECT_EQ(result.gaps, 0U);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.ticks, result.last_tick.value);
  EXPECT_LT(remains.oldest_lost, kPatience);
}

TEST(RecorderKill, AtWhateverInstantTheFileVerifiesAndOnlyTheLastMomentIsMissing) {
  Rng rng{kill_seed()};
  const int kills = recorder_kills();
  std::vector<Duration> ages;
  std::uint64_t in_time = 0;
  std::uint64_t bytes = 0;
  for (int i = 0; i < kills; ++i) {
    // Three of four at full speed, when records follow each other as closely as they can and a
    // write is nearly always under way.
    const bool paced = i % 4 == 0;
    const Kill kill{.seed = rng.next() >> 1U,
                    .rate = paced ? kRate : 0,
                    .after = std::chrono::microseconds{rng.below(paced ? 300'000 : 30'000)}};
    SCOPED_TRACE("kill " + std::to_string(i) + " of TICKBOX_SEED=" + std::to_string(kill_seed()));
    const os::TemporaryFolder folder;
    const Remains remains = kill_recorder(folder, kill);
    expect_sound(remains);
    if (HasFailure()) return;
    bytes += remains.file.size();
    if (!paced) continue;
    ages.push_back(remains.oldest_lost);
    in_time += remains.oldest_lost <= 100ms ? 1U : 0U;
  }
  std::ranges::sort(ages);
  const auto milliseconds = [](Duration age) {
    return std::chrono::duration<double, std::milli>{age}.count();
  };
  if (ages.empty()) return;
  std::printf(
      "%d kills, %.1f MB of recordings; of %zu in real time %llu lost 100 ms or less (median %.1f "
      "ms, p99 %.1f ms, most %.1f ms)\n",
      kills, static_cast<double>(bytes) * 1e-6, ages.size(),
      static_cast<unsigned long long>(in_time), milliseconds(ages[ages.size() / 2]),
      milliseconds(ages[ages.size() * 99 / 100]), milliseconds(ages.back()));
  // At least half of the kills, on any machine: else the recording is not written as it comes.
  EXPECT_GE(in_time * 2, ages.size());
}

}  // namespace
}  // namespace tickbox::crash
