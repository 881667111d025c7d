#pragma once
// The log, for those who must not know where it goes; and what clients can bring about in it.

#include "core/clock.h"
#include "server/room/limits.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::server {

/// Where the server tells what happened: an interface, so that a test can read it and a program can
/// print it.
enum class Severity : std::uint8_t {
  Info,
  Warning,
  Error,  ///< someone must act
};

class Log {
 public:
  virtual ~Log() = default;

  /// One event: a name, then fields as key=value; values with blanks in double quotes.
  virtual void event(Severity severity, std::string_view line) = 0;
};

// A log that no client can flood: of each kind of line so many, and then how many were left out.

/// Kinds of lines that clients bring about.
enum class LogKind : std::uint8_t {
  Opened,
  Closed,
  Resumed,
  Moved,
  Mismatch,
  Dropped,
  Trace,
  Refused
};
inline constexpr std::size_t kLogKinds = 8;

class LimitedLog {
 public:
  explicit LimitedLog(Log& log) : log_(log) {}

  /// Writes what `make_line()` gives, or counts that it did not.
  template <class MakeLine>
  void event(LogKind kind, Severity severity, Instant now, MakeLine&& make_line) {
    Kind& of = kinds_[static_cast<std::size_t>(kind)];
    if (!of.limit.take(kLogLines, now)) {
      ++of.left_out;
      return;
    }
    std::string line = make_line();
    if (of.left_out > 0) line += " left_out=" + std::to_string(of.left_out);
    of.left_out = 0;
    log_.event(severity, line);
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
