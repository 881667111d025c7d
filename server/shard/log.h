#pragma once
// The log, for code that must not know where it goes; and limits on lines that clients can cause.

#include "core/clock.h"
#include "core/log_event.h"
#include "server/shard/limits.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tickbox::server {

/// The events of the server go to an interface, so that a test can read them and a program can
/// print them.
class Log {
 public:
  virtual ~Log() = default;

  /// Writes one event. Never waits for what is outside of the process.
  virtual void event(Severity severity, const LogEvent& event) = 0;
};

// A log that no client can flood: lines of one kind are limited, and omitted lines are counted.

/// Kinds of lines that clients or the game can cause.
enum class LogKind : std::uint8_t {
  Opened,
  Closed,
  Resumed,
  Moved,
  Mismatch,
  Dropped,
  Desync,
  Refused,
  Ended,
  MatchEnded,
  Result,
  ResultLost,
  Overload
};
inline constexpr std::size_t kLogKinds = 13;

class LimitedLog {
 public:
  explicit LimitedLog(Log& log) : log_(log) {}

  /// Writes the event that `make_event()` returns, or counts it as left out.
  template <class MakeEvent>
  void event(LogKind kind, Severity severity, Instant now, MakeEvent&& make_event) {
    Kind& of = kinds_[static_cast<std::size_t>(kind)];
    if (!of.limit.consume(kLogLines, now)) {
      ++of.left_out;
      return;
    }
    LogEvent event = make_event();
    if (of.left_out > 0) event.fields.emplace_back("left_out", of.left_out);
    of.left_out = 0;
    log_.event(severity, event);
  }

 private:
  struct Kind {
    RateLimit limit;
    std::uint64_t left_out = 0;
  };

  Log& log_;
  std::array<Kind, kLogKinds> kinds_{};
};

}  // namespace tickbox::server
