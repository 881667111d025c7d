#pragma once
// Events on stderr, one line each, for people or for machines.

#include "os/process/log_event.h"

#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::os {

enum class LogLevel : std::uint8_t {
  Debug,
  Info,
  Warning,
  Error,  ///< someone must act
};

enum class LogFormat : std::uint8_t { Text, Json };

/// Reads "debug", "info", "warning" or "error".  Fails: with one line.
[[nodiscard]] std::expected<LogLevel, std::string> parse_log_level(std::string_view text);

/// Reads "text" or "json".  Fails: with one line.
[[nodiscard]] std::expected<LogFormat, std::string> parse_log_format(std::string_view text);

struct LogOptions {
  LogLevel level = LogLevel::Info;  ///< what is below is not written
  LogFormat format = LogFormat::Text;
  std::FILE* out = stderr;  ///< coloured only where it is a terminal and NO_COLOR is not set
};

/// Thread: any.  Cost: one write to the stream; for a tick thread only on events, never per entity.
class Log {
 public:
  explicit Log(const LogOptions& options);
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  /// Writes an event and its fields: `session_closed room=3 reason=timed_out text="two words"`. A
  /// value with blanks stands in double quotes, with \" and \\ inside. Control bytes are escaped:
  /// an event is a line, whatever is in it.
  void write(LogLevel level, std::string_view event) const;

  void set_level(LogLevel level) const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

}  // namespace tickbox::os
