#include "server/shard/paced_logs.h"

#include <string>
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
    const std::uint64_t count = refusals.count.consume(now);
    if (count == 0) continue;
    log.event(LogKind::Refused, Severity::Info, now, [&] {
      LogEvent refused{"connection_refused",
                       {{"reason", net::name_of(static_cast<net::RefuseReason>(i))}}};
      if (refusals.client) refused.fields.emplace_back("client", std::to_string(*refusals.client));
      refused.fields.emplace_back("address", net::to_string(refusals.address));
      refused.fields.emplace_back("count", count);
      return refused;
    });
  }
}

void OverrunLog::add(const Overrun& overrun) {
  count_.add(1);
  if (overrun.total > longest_.total) longest_ = overrun;
}

std::optional<LogEvent> OverrunLog::consume(Instant now) {
  const std::uint64_t count = count_.consume(now);
  if (count == 0) return std::nullopt;
  const Overrun overrun = std::exchange(longest_, {});
  const auto ms = [](Duration time) {
    return Decimal{std::chrono::duration<double, std::milli>{time}.count(), 1};
  };
  return LogEvent{"tick_overrun",
                  {{"count", count},
                   {"tick", overrun.tick},
                   {"total_ms", ms(overrun.total)},
                   {"receive_ms", ms(overrun.receive)},
                   {"step_ms", ms(overrun.step)},
                   {"send_ms", ms(overrun.send)},
                   {"entities", overrun.entities},
                   {"clients", overrun.clients}}};
}

void StallLog::observe(std::uint64_t slipped, Duration behind, std::uint64_t discarded,
                       Instant now) {
  const std::uint64_t more = slipped - std::exchange(slipped_, slipped);
  if (more == 0) return;
  if (!began_) {
    began_ = now;
    discarded_ = discarded;
  }
  count_.add(more);
  stalled_ += behind;
}

std::optional<LogEvent> StallLog::consume(std::uint64_t discarded, Instant now) {
  if (!began_ || now - *began_ < kStallSettled) return std::nullopt;
  const std::uint64_t count = count_.consume(now);
  if (count == 0) return std::nullopt;
  began_.reset();
  const Duration stalled = std::exchange(stalled_, Duration{});
  return LogEvent{
      "ticks_slipped",
      {{"count", count},
       {"stalled_ms", std::chrono::duration_cast<std::chrono::milliseconds>(stalled).count()},
       {"inputs_discarded", discarded - discarded_}}};
}

void OverloadLog::write(LimitedLog& log, const Metrics& metrics, Instant now) {
  const Overload level = metrics.load.overload;
  if (level == said_ || (said_at_ && now - *said_at_ < kCountInterval)) return;
  said_ = level;
  said_at_ = now;
  const std::uint64_t put_off =
      metrics.snapshots.put_off - std::exchange(put_off_, metrics.snapshots.put_off);
  const Decimal load{static_cast<double>(metrics.load.share) / 10, 1};
  const bool is_over = level == Overload::None;
  log.event(LogKind::Overload, is_over ? Severity::Info : Severity::Warning, now, [&] {
    if (is_over) {
      return LogEvent{"overload_over",
                      {{"load_percent", load}, {"put_off", put_off}, {"clients", metrics.clients}}};
    }
    return LogEvent{"overloaded",
                    {{"level", name_of(level)},
                     {"load_percent", load},
                     {"put_off", put_off},
                     {"clients", metrics.clients}}};
  });
}

}  // namespace tickbox::server
