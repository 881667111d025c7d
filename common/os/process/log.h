#pragma once
// Writes events to stderr, one line each, for people or for machines.

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

/// Reads "debug", "info", "warning" or "error". Fails: with one line.
[[nodiscard]] std::expected<LogLevel, std::string> parse_log_level(std::string_view text);

/// Reads "text" or "json". Fails: with one line.
[[nodiscard]] std::expected<LogFormat, std::string> parse_log_format(std::string_view text);

struct LogOptions {
  LogLevel level = LogLevel::Info;  ///< events below this level are not written
  LogFormat format = LogFormat::Text;
  std::FILE* out = stderr;  ///< coloured only if it is a terminal and NO_COLOR is not set
};

/// A log of events. Thread: any. Cost: one write to the stream; a tick thread logs only events,
/// never per entity.
class Log {
 public:
  explicit Log(const LogOptions& options);
  ~Log();
  Log(Log&&) noexcept;
  Log& operator=(Log&&) noexcept;

  /// Writes an event and its fields: `session_closed room=3 reason=timed_out text="two words"`. A
  /// value with blanks has double quotes around it, with \" and \\ inside. Control bytes are
  /// escaped, so that every event is one line.
  void write(LogLevel level, std::string_view event) const;

  void set_level(LogLevel level) const;

 private:
  struct Sink;
  std::unique_ptr<Sink> sink_;
};

// The form of a log line: an event and its fields, `session_closed room=3 text="two words"`.

/// Returns `text` as the value of a field: in double quotes, with \" and \\ inside, if it needs
/// them.
[[nodiscard]] std::string log_value(std::string_view text);

/// Returns `text` with every control byte as \xNN, so that received text adds no line and sends no
/// command to a terminal.
[[nodiscard]] std::string escape_control_bytes(std::string_view text);

/// Returns an event and its fields as one JSON object: {"time":…,"level":…,"event":…}, then each
/// key in order. A whole number or decimal of at most 15 characters after its sign, without a
/// leading zero, becomes a number, so that hashes stay text. true and false become booleans, all
/// else text. Words without '=' belong to the event. A repeated key gets a '_' appended.
[[nodiscard]] std::string event_to_json(std::string_view time, std::string_view level,
                                        std::string_view event);

}  // namespace tickbox::os
