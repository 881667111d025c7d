#pragma once
// Overload in the log: what a shard gives up, at once and then at most every ten seconds.

#include "core/clock.h"
#include "server/shard/load/load_control.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"

#include <cstdint>
#include <optional>

namespace tickbox::server {

class OverloadLog {
 public:
  /// Writes "overloaded level=refuses_joins load_percent=131.0 put_off=5210 clients=200", or
  /// "overload_over" with the same fields, if the level is another than in the last line, and it is
  /// time for a line. `put_off` counts the snapshots put off since the line before.
  void write(LimitedLog& log, const Metrics& metrics, Instant now);

 private:
  Overload said_ = Overload::None;
  std::optional<Instant> said_at_;
  std::uint64_t put_off_ = 0;  ///< when it last wrote
};

}  // namespace tickbox::server
