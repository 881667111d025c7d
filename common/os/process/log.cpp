// spdlog writes the line, its time and its colour; this file formats the event.

#include "os/process/log.h"

#include "os/process/terminal.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <utility>

namespace tickbox::os {
namespace {

using ColourSink = spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>;

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return spdlog::level::debug;
    case LogLevel::Info:
      return spdlog::level::info;
    case LogLevel::Warning:
      return spdlog::level::warn;
    case LogLevel::Error:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Error:
      return "error";
  }
  return "error";
}

/// Returns the time as "2026-11-20T08:03:00.123Z".
std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  const std::time_t seconds = static_cast<std::time_t>(milliseconds / 1000);
  std::tm calendar{};
  gmtime_r(&seconds, &calendar);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", calendar.tm_year + 1900,
                     calendar.tm_mon + 1, calendar.tm_mday, calendar.tm_hour, calendar.tm_min,
                     calendar.tm_sec, milliseconds % 1000);
}

spdlog::color_mode colours_for(std::FILE* out) {
  return !wants_no_colour() && isatty(fileno(out)) == 1 ? spdlog::color_mode::always
                                                        : spdlog::color_mode::never;
}

/// Number of digits that a double, and so every JSON reader, represents exactly.
constexpr std::size_t kNumberDigitsMax = 15;

constexpr std::string_view kBlanks = " \t";

bool is_control(char byte) {
  return static_cast<unsigned char>(byte) < 0x20 || static_cast<unsigned char>(byte) == 0x7f;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns whether the text is -?digits[.digits] without a leading zero.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > kNumberDigitsMax) return false;
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  if (!is_digits(whole) || (whole.size() > 1 && whole.front() == '0')) return false;
  return point == text.size() || is_digits(text.substr(point + 1));
}

// Parsing the `key=value` pairs of a log line, and writing them as JSON.

nlohmann::ordered_json to_json_value(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (!looks_like_number(text)) return std::string{text};
  if (text.find('.') == std::string_view::npos) {
    std::int64_t whole = 0;
    std::from_chars(text.data(), text.data() + text.size(), whole);
    return whole;
  }
  double decimal = 0;
  std::from_chars(text.data(), text.data() + text.size(), decimal);
  return decimal;
}

/// Removes a value from the front of `rest`. Returns it without quotes and escapes, and whether it
/// was quoted.
std::pair<std::string, bool> take_value(std::string_view& rest) {
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find_first_of(kBlanks), rest.size());
    std::string value{rest.substr(0, end)};
    rest.remove_prefix(end);
    return {value, false};
  }
  std::string value;
  std::size_t i = 1;
  for (; i < rest.size() && rest[i] != '"'; ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    value += rest[i];
  }
  rest.remove_prefix(std::min(i + 1, rest.size()));
  return {value, true};
}

}  // namespace

std::expected<LogLevel, std::string> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::Debug;
  if (text == "info") return LogLevel::Info;
  if (text == "warning") return LogLevel::Warning;
  if (text == "error") return LogLevel::Error;
  return std::unexpected{"'" + std::string{text} +
                         "' is not a log level; give debug, info, warning or error"};
}

std::expected<LogFormat, std::string> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::Text;
  if (text == "json") return LogFormat::Json;
  return std::unexpected{"'" + std::string{text} + "' is not a log format; give text or json"};
}

struct Log::Sink {
  LogFormat format;
  spdlog::logger logger;
};

Log::Log(const LogOptions& options) {
  const bool json = options.format == LogFormat::Json;
  auto out = std::make_shared<ColourSink>(
      options.out, json ? spdlog::color_mode::never : colours_for(options.out));
  sink_ = std::make_unique<Sink>(Sink{options.format, spdlog::logger{"tickbox", std::move(out)}});
  sink_->logger.set_formatter(std::make_unique<spdlog::pattern_formatter>(
      json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc));
  set_level(options.level);
}

Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

void Log::write(LogLevel level, std::string_view event) const {
  const auto spdlog_level = to_spdlog(level);
  if (!sink_->logger.should_log(spdlog_level)) return;
  const std::string line = sink_->format == LogFormat::Json
                               ? event_to_json(utc_now(), name_of(level), event)
                               : escape_control_bytes(event);
  sink_->logger.log(spdlog_level, std::string_view{line});
}

void Log::set_level(LogLevel level) const {
  sink_->logger.set_level(to_spdlog(level));
}

std::string log_value(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_of(" \t\"\\=") == std::string_view::npos &&
                     std::ranges::none_of(text, is_control);
  if (plain) return std::string{text};
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string escape_control_bytes(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (!is_control(c)) {
      escaped += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    escaped += "\\x";
    escaped += kHex[byte >> 4U];
    escaped += kHex[byte & 0xfU];
  }
  return escaped;
}

std::string event_to_json(std::string_view time, std::string_view level, std::string_view event) {
  nlohmann::ordered_json fields;
  fields["time"] = std::string{time};
  fields["level"] = std::string{level};
  fields["event"] = std::string{};
  std::string name;
  std::string_view rest = event;
  while (true) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
    if (rest.empty()) break;
    const std::size_t word_end = std::min(rest.find_first_of(kBlanks), rest.size());
    const std::size_t equals = rest.substr(0, word_end).find('=');
    if (equals == std::string_view::npos || equals == 0) {
      if (!name.empty()) name += ' ';
      name += rest.substr(0, word_end);
      rest.remove_prefix(word_end);
      continue;
    }
    std::string key{rest.substr(0, equals)};
    rest.remove_prefix(equals + 1);
    const auto [value, quoted] = take_value(rest);
    while (fields.contains(key)) {
      key += '_';
    }
    fields[key] = quoted ? nlohmann::ordered_json(value) : to_json_value(value);
  }
  fields["event"] = name;
  return fields.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tickbox::os
