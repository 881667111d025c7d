#include "server/shard/load/overload_log.h"

#include "server/shard/paced_logs.h"

#include <utility>

namespace tickbox::server {

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
