#pragma once
// Writes events to stderr, one line each, for people or for machines.

#include "core/log_event.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::os {

enum class LogFormat : std::uint8_t { Text, Json };

/// Returns the name that parse_log_level() reads.
[[nodiscard]] std::string_view name_of(Severity severity);

/// Reads "debug", "info", "warning" or "error". Fails: with one line.
[[nodiscard]] std::expected<Severity, std::string> parse_log_level(std::string_view text);

/// Reads "text" or "json". Fails: with one line.
[[nodiscard]] std::expected<LogFormat, std::string> parse_log_format(std::string_view text);

struct LogOptions {
  Severity level = Severity::Info;  ///< events below this are not written
  LogFormat format = LogFormat::Text;
  std::string name{};       ///< in each line of JSON; empty: none
  std::FILE* out = stderr;  ///< coloured only if it is a terminal and NO_COLOR is not set
  /// Lines that may wait for the stream. When there are more, the oldest is dropped.
  std::size_t lines_max = 4'096;
};

/// The lines of a log that were not written yet.
struct LogStatus {
  std::uint64_t waiting = 0;  ///< lines in the queue
  std::uint64_t dropped = 0;  ///< lines dropped since the start, because the queue was full
};

/// A log of events, written by a thread of its own: a stream that nobody reads costs lines, and no
/// caller waits for it. Thread: any. Cost: formats the line and locks the queue for a few
/// instructions; a tick thread logs only events, never per entity.
class AsyncLog {
 public:
  explicit AsyncLog(const LogOptions& options);

  /// Writes the lines that wait, as long as that takes. While status() has lines, only std::_Exit()
  /// ends the process without this wait.
  ~AsyncLog();
  AsyncLog(const AsyncLog&) = delete;
  AsyncLog& operator=(const AsyncLog&) = delete;

  /// Queues an event as one line.
  void write(Severity severity, const LogEvent& event) const;

  void set_level(Severity level) const;

  /// Returns whether events of this severity are written.
  [[nodiscard]] bool takes(Severity severity) const;

  [[nodiscard]] LogFormat format() const;
  [[nodiscard]] LogStatus status() const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

/// Returns an event as one JSON object: {"time":…,"level":…,"event":…}, "name" if there
/// is one, then each field in order.
/// A whole number beyond 2^53, which not every reader of JSON represents, becomes text. A repeated
/// key gets a '_' appended.
[[nodiscard]] std::string event_to_json(std::string_view time, std::string_view severity,
                                        const LogEvent& event, std::string_view name = {});

}  // namespace tickbox::os
