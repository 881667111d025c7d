// The metrics of any server, asked for twice (a zero byte stands between the answers): refused in
// one line, or figures that `load` can print.

#include "client/commands/load/metrics_text.h"

#include "client/commands/load/server_watch.h"
#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

using namespace tickbox;

namespace {

constexpr double kRounding = 1 - 1e-12;

void check_buckets(const commands::CumulativeBuckets& buckets) {
  fuzz::check(!buckets.bounds.empty() && buckets.bounds.size() == buckets.counts.size());
  fuzz::check(std::ranges::is_sorted(buckets.bounds, std::less_equal{}));
  fuzz::check(std::isinf(buckets.bounds.back()));
  fuzz::check(std::ranges::all_of(buckets.counts, commands::is_count));
  fuzz::check(std::ranges::is_sorted(buckets.counts));
  double last = 0;
  for (const double q : {0.5, 0.99, 1.0}) {
    const auto value = buckets.quantile(q);
    fuzz::check(value.has_value() == (buckets.total() > 0));
    if (!value) return;
    fuzz::check(std::isfinite(*value) && *value >= last * kRounding);
    last = *value;
  }
}

void check_sample(const commands::ServerSample& sample) {
  for (const double figure : {sample.ticks, sample.slipped, sample.overruns, sample.tick_rate,
                              sample.cpu_seconds, sample.resident_bytes}) {
    fuzz::check(commands::is_count(figure));
  }
  check_buckets(sample.tick_seconds);
}

}  // namespace

TICKBOX_FUZZ_TARGET(metrics_text)(ConstBytes input) {
  const std::string_view both = fuzz::text_of(input);
  const std::size_t first = std::min(both.find('\0'), input.size());
  const auto before = commands::read_sample(both.substr(0, first));
  const auto after = commands::read_sample(both.substr(std::min(first + 1, input.size())));
  for (const auto& sample : {before, after}) {
    if (fuzz::is_read(sample)) check_sample(*sample);
  }
  if (!before || !after) return;
  if (const auto added = commands::added_between(before->tick_seconds, after->tick_seconds)) {
    check_buckets(*added);
  }
}
