#pragma once
// What a log counts in place of a line each: refused connects, stalls, ticks that took too long,
// overload. A line is written soon after the first, and then at most every ten seconds.

#include "core/clock.h"
#include "net/reasons.h"
#include "net/transport.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"
#include "server/shard/tick_time.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace tickbox::server {

/// The time from a stall to its line in the log.
inline constexpr Duration kStallSettled = std::chrono::seconds{1};

/// The least time between two lines about the same thing.
inline constexpr Duration kCountInterval = std::chrono::seconds{10};

/// A count that is logged at once the first time, and from then on at intervals.
class PacedCount {
 public:
  void add(std::uint64_t count) { count_ += count; }

  /// Returns the count added since the last line, for a line to be written now. Returns 0 if there
  /// is nothing to log, or it is too early for another line.
  [[nodiscard]] std::uint64_t consume(Instant now) {
    if (count_ == 0 || (said_ && now - *said_ < kCountInterval)) return 0;
    said_ = now;
    return std::exchange(count_, 0);
  }

 private:
  std::uint64_t count_ = 0;
  std::optional<Instant> said_;
};

/// Refused connects in the log: a line per reason, at once and then at most every ten seconds, with
/// the count since the line before.
class RefusalLog {
 public:
  /// `client`: named by the token or ticket, if it could be opened.
  void add(net::RefuseReason reason, std::optional<std::uint64_t> client,
           const net::Address& address);

  /// Writes "connection_refused reason=token_used client=7 address=192.0.2.1:5000 count=1", with
  /// the last client and address of each reason.
  void write(LimitedLog& log, Instant now);

 private:
  struct Refusals {
    PacedCount count;
    std::optional<std::uint64_t> client;  ///< the last client refused
    net::Address address;                 ///< the last address refused
  };

  std::array<Refusals, net::kRefuseReasons> reasons_{};
};

/// Slipped ticks in the log: a second after the stall, when its effect on the players' inputs is
/// known, and then at most every ten seconds.
class StallLog {
 public:
  /// `slipped`: ticks slipped since the start. `behind`: the delay of the tick that is due now.
  /// `discarded`: inputs discarded since the start.
  void observe(std::uint64_t slipped, Duration behind, std::uint64_t discarded, Instant now);

  /// Returns "ticks_slipped count=112 stalled_ms=2000 inputs_discarded=64", if a line is due now.
  /// The time is the sum of all stalls since the line before. The inputs are those that were
  /// discarded from the first of these stalls on.
  [[nodiscard]] std::optional<LogEvent> consume(std::uint64_t discarded, Instant now);

 private:
  std::uint64_t slipped_ = 0;
  PacedCount count_;
  Duration stalled_{};
  std::optional<Instant> began_;  ///< the first stall since the last line
  std::uint64_t discarded_ = 0;   ///< at that time
};

/// A tick that took longer than its period.
struct Overrun {
  std::uint64_t tick = 0;  ///< ticks run since the start
  Duration total{};
  Duration receive{};
  Duration step{};
  Duration send{};
  std::uint64_t entities = 0;
  std::size_t clients = 0;
};

/// Overruns in the log: at once, and then at most every ten seconds, with the longest of them.
class OverrunLog {
 public:
  void add(const Overrun& overrun);

  /// Returns "tick_overrun count=3 tick=712 total_ms=21.4 …", if a line is due now.
  [[nodiscard]] std::optional<LogEvent> consume(Instant now);

 private:
  PacedCount count_;
  Overrun longest_;  ///< since the line before
};

/// Overload in the log: what a shard gives up, at once and then at most every ten seconds.
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
