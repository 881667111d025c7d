// The status document of any server, asked for twice (a zero byte stands between the answers):
// refused in one line, or figures that `load` can print.

#include "client/commands/load/server_watch.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

using namespace tickbox;

namespace {

constexpr std::uint64_t kAmountMax = std::uint64_t{1} << 53;

void check_ticks(const Histogram& ticks) {
  fuzz::check(ticks.count() < kAmountMax);
  std::uint64_t last = 0;
  for (const std::uint32_t per_mille : {500U, 990U, 1'000U}) {
    const std::uint64_t value = ticks.quantile(per_mille);
    fuzz::check(value >= last);
    last = value;
  }
}

void check_sample(const commands::ServerSample& sample) {
  for (const std::uint64_t figure : {sample.slipped, sample.overruns, sample.tick_rate,
                                     sample.started_ms, sample.cpu_ms, sample.resident_bytes}) {
    fuzz::check(figure < kAmountMax);
  }
  check_ticks(sample.tick_ns);
}

}  // namespace

TICKBOX_FUZZ_TARGET(server_status)(ConstBytes input) {
  const std::string_view both = fuzz::text_of(input);
  const std::size_t first = std::min(both.find('\0'), input.size());
  const auto before = commands::read_sample(both.substr(0, first));
  const auto after = commands::read_sample(both.substr(std::min(first + 1, input.size())));
  for (const auto& sample : {before, after}) {
    if (fuzz::is_read(sample)) check_sample(*sample);
  }
  if (before && after) check_ticks(after->tick_ns.added_since(before->tick_ns));
}
