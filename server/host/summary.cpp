#include "server/host/summary.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {

std::string Summary::take(const Metrics& metrics, Instant now) {
  const double seconds = std::chrono::duration<double>(now - since_).count();
  const auto per_second = [seconds](std::uint64_t before, std::uint64_t after) {
    return static_cast<double>(after - before) / seconds;
  };
  const auto milliseconds = [](std::uint64_t nanoseconds) {
    return static_cast<double>(nanoseconds) * 1e-6;
  };
  std::string line = fmt::format(
      "summary ticks_per_second={:.1f} tick_ms_p50={:.3f} tick_ms_p99={:.3f} tick_ms_max={:.3f} "
      "budget_ms={:.1f} "
      "clients={} entities={} packets_in_per_second={:.0f} packets_out_per_second={:.0f} "
      "kib_in_per_second={:.1f} "
      "kib_out_per_second={:.1f} drops={} slipped={} recording_bytes={}",
      static_cast<double>(ticks_.count()) / seconds, milliseconds(ticks_.quantile(500)),
      milliseconds(ticks_.quantile(990)), milliseconds(ticks_.quantile(1'000)),
      1'000.0 / metrics.tick_rate, metrics.clients, metrics.entities,
      per_second(before_.packets_in, metrics.traffic.packets_in),
      per_second(before_.packets_out, metrics.traffic.packets_out),
      per_second(before_.bytes_in, metrics.traffic.bytes_in) / 1'024,
      per_second(before_.bytes_out, metrics.traffic.bytes_out) / 1'024,
      metrics.drops.total() - drops_before_, metrics.slipped, metrics.recording.bytes);
  since_ = now;
  ticks_ = {};
  before_ = metrics.traffic;
  drops_before_ = metrics.drops.total();
  return line;
}

}  // namespace tickbox::server
