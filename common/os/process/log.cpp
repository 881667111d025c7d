// spdlog writes the line, its time and its colour; what an event is made of is ours.

#include "os/process/log.h"

#include "os/process/log_event.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
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

/// "2026-11-20T08:03:00.123Z"
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
  // Before any other thread is started.  NOLINTNEXTLINE(concurrency-mt-unsafe)
  const char* const no_color = std::getenv("NO_COLOR");
  const bool refused = no_color != nullptr && *no_color != '\0';
  return !refused && isatty(fileno(out)) == 1 ? spdlog::color_mode::always
                                              : spdlog::color_mode::never;
}

}  // namespace

std::expected<LogLevel, std::string> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::Debug;
  if (text == "info") return LogLevel::Info;
  if (text == "warning") return LogLevel::Warning;
  if (text == "error") return LogLevel::Error;
  return std::unexpected{"'" + std::string{text} +
                         "' is no log level; try debug, info, warning or error"};
}

std::expected<LogFormat, std::string> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::Text;
  if (text == "json") return LogFormat::Json;
  return std::unexpected{"'" + std::string{text} + "' is no log format; try text or json"};
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

}  // namespace tickbox::os
