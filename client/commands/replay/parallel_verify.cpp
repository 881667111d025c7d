#include "client/commands/replay/parallel_verify.h"

#include "core/assert.h"
#include "os/process/process.h"
#include "record/segments.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace tickbox::commands {

std::vector<std::thread> start_helpers(std::size_t jobs, const std::function<void()>& work) {
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < jobs; ++i) {
    auto helper = os::start_thread("verify", work);
    if (!helper) break;
    helpers.push_back(*std::move(helper));
  }
  return helpers;
}

std::uint32_t processors() {
  return std::clamp(std::thread::hardware_concurrency(), 1U, kVerifyJobsMax);
}

record::VerifyResult verify_in_parallel(const record::Reader& reader, const GameTable& game,
                                        const engine::SharedMap& map,
                                        const record::VerifyOptions& options, std::uint32_t jobs) {
  TICKBOX_ASSERT(jobs >= 1 && jobs <= kVerifyJobsMax);
  const record::Segments segments = record::segments_of(reader, options.stopped);
  const std::size_t count = segments.all.size();
  std::vector<record::SegmentResult> results(count);
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};
  // A free thread takes the next segment. Each result has its own place, so the order has no
  // effect.
  const auto work = [&](const auto& after_each) {
    record::SegmentVerifier verifier{game, map, reader.header().tick_rate, options};
    for (std::size_t i = next++; i < count; i = next++) {
      results[i] = verifier.verify(reader, segments.all[i]);
      ++done;
      after_each();
    }
  };
  std::vector<std::thread> helpers =
      start_helpers(std::min<std::size_t>(jobs, count), [&work] { work([] {}); });
  work([&] {
    if (options.progress) {
      options.progress(static_cast<std::uint32_t>(std::uint64_t{1'000} * done / count));
    }
  });
  for (std::thread& helper : helpers) {
    helper.join();
  }
  record::VerifySum sum{options};
  for (std::size_t i = 0; i < count; ++i) {
    sum.add(segments.all[i], results[i]);
  }
  return sum.result(segments);
}

}  // namespace tickbox::commands
