#include "client/commands/replay/parallel_verify.h"

#include "core/assert.h"
#include "os/process/process.h"

#include <algorithm>
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
  record::SharedVerification all{reader, game, map, options};
  std::vector<std::thread> helpers =
      start_helpers(std::min<std::size_t>(jobs, all.segments()), [&all] { all.work({}); });
  all.work(options.progress);
  for (std::thread& helper : helpers) {
    helper.join();
  }
  return all.result();
}

}  // namespace tickbox::commands
