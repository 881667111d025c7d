#include "server/shard/paced_logs.h"

#include <fmt/core.h>

#include <utility>

namespace tickbox::server {

void RefusalLog::add(net::RefuseReason reason, std::optional<std::uint64_t> client,
                     const net::Address& address) {
  Refusals& refusals = reasons_[static_cast<std::size_t>(reason)];
  refusals.count.add(1);
  refusals.client = client;
  refusals.address = address;
}

void RefusalLog::write(LimitedLog& log, Instant now) {
  for (std::size_t i = 0; i < reasons_.size(); ++i) {
    Refusals& refusals = reasons_[i];
    const std::uint64_t count = refusals.count.take(now);
    if (count == 0) continue;
    log.event(LogKind::Refused, Severity::Info, now, [&] {
      return fmt::format(
          "connection_refused reason={}{} address={} count={}",
          net::name_of(static_cast<net::RefuseReason>(i)),
          refusals.client ? fmt::format(" client={}", *refusals.client) : std::string{},
          net::to_string(refusals.address), count);
    });
  }
}

void OverrunLog::add(const Overrun& overrun) {
  count_.add(1);
  if (overrun.total > longest_.total) longest_ = overrun;
}

std::optional<std::string> OverrunLog::take(Instant now) {
  const std::uint64_t count = count_.take(now);
  if (count == 0) return std::nullopt;
  const Overrun overrun = std::exchange(longest_, {});
  const auto ms = [](Duration time) {
    return std::chrono::duration<double, std::milli>{time}.count();
  };
  return fmt::format(
      "tick_overrun count={} tick={} total_ms={:.1f} receive_ms={:.1f} step_ms={:.1f} "
      "send_ms={:.1f} entities={} clients={}",
      count, overrun.tick, ms(overrun.total), ms(overrun.receive), ms(overrun.step),
      ms(overrun.send), overrun.entities, overrun.clients);
}

void StallLog::look(std::uint64_t slipped, Duration behind) {
  const std::uint64_t more = slipped - std::exchange(slipped_, slipped);
  if (more == 0) return;
  count_.add(more);
  stalled_ += behind;
}

std::optional<std::string> StallLog::take(Instant now) {
  const std::uint64_t count = count_.take(now);
  if (count == 0) return std::nullopt;
  const Duration stalled = std::exchange(stalled_, Duration{});
  return fmt::format("ticks_slipped count={} stalled_ms={}", count,
                     std::chrono::duration_cast<std::chrono::milliseconds>(stalled).count());
}

}  // namespace tickbox::server
