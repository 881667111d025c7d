// spdlog writes the line, its time and its colour in a thread of its own; this file formats the
// event. spdlog's queue drops the oldest line when it is full.

#include "os/process/log.h"

#include <spdlog/async.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>
#include <utility>
#include <variant>
#include <vector>

namespace tickbox::os {
namespace {

using ColourSink = spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>;

// Both are indexed by Severity.
constexpr std::array<std::string_view, 4> kNames = {"debug", "info", "warning", "error"};
constexpr std::array kSpdlogLevels = {spdlog::level::debug, spdlog::level::info,
                                      spdlog::level::warn, spdlog::level::err};

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

/// Colours are for a terminal whose user does not refuse them (https://no-color.org).
spdlog::color_mode colours_for(std::FILE* out) {
  const char* const refused = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): unset
  const bool is_refused = refused != nullptr && *refused != '\0';
  return !is_refused && isatty(fileno(out)) == 1 ? spdlog::color_mode::always
                                                 : spdlog::color_mode::never;
}

/// The largest whole number that a double, and so every reader of JSON, represents exactly.
constexpr std::uint64_t kWholeMax = std::uint64_t{1} << 53U;

struct ValueJson {
  std::string operator()(bool is) const { return is ? "true" : "false"; }

  std::string operator()(std::int64_t number) const { return std::to_string(number); }

  std::string operator()(std::uint64_t number) const {
    const std::string digits = std::to_string(number);
    return number > kWholeMax ? '"' + digits + '"' : digits;
  }

  std::string operator()(Decimal number) const {
    const double scale = std::pow(10.0, number.digits);
    return nlohmann::json(std::round(number.value * scale) / scale).dump();
  }

  std::string operator()(std::string_view text) const {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  std::string operator()(const JsonText& json) const { return json.text; }
};

}  // namespace

std::string_view name_of(Severity severity) {
  return kNames[static_cast<std::size_t>(severity)];
}

std::expected<Severity, std::string> parse_log_level(std::string_view text) {
  const auto name = std::ranges::find(kNames, text);
  if (name != kNames.end()) return static_cast<Severity>(name - kNames.begin());
  return std::unexpected{"'" + std::string{text} +
                         "' is not a log level; give debug, info, warning or error"};
}

std::expected<LogFormat, std::string> parse_log_format(std::string_view text) {
  if (text == "text") return LogFormat::Text;
  if (text == "json") return LogFormat::Json;
  return std::unexpected{"'" + std::string{text} + "' is not a log format; give text or json"};
}

struct AsyncLog::Sink {
  class Stream final : public ColourSink {
   public:
    using ColourSink::ColourSink;

    void log(const spdlog::details::log_msg& line) override {
      ColourSink::log(line);
      written_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Returns the number of lines that the stream has taken. Thread: any.
    [[nodiscard]] std::uint64_t written() const { return written_.load(std::memory_order_relaxed); }

   private:
    std::atomic<std::uint64_t> written_{0};
  };

  explicit Sink(const LogOptions& options)
      : format(options.format),
        name(options.name),
        stream(std::make_shared<Stream>(options.out, options.format == LogFormat::Json
                                                         ? spdlog::color_mode::never
                                                         : colours_for(options.out))),
        pool(std::make_shared<spdlog::details::thread_pool>(
            options.lines_max, 1,
            [] {
              // Signals are for the main thread.
              sigset_t all;
              sigfillset(&all);
              pthread_sigmask(SIG_SETMASK, &all, nullptr);
              pthread_setname_np(pthread_self(), "log");
            })),
        logger(std::make_shared<spdlog::async_logger>(
            "tickbox", stream, pool, spdlog::async_overflow_policy::overrun_oldest)),
        level(options.level) {}

  LogFormat format;
  std::string name;
  std::shared_ptr<Stream> stream;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
  std::atomic<Severity> level;  ///< spdlog's own would change between the count and the queue
  std::atomic<std::uint64_t> queued{0};
};

AsyncLog::AsyncLog(const LogOptions& options) {
  const bool json = options.format == LogFormat::Json;
  sink_ = std::make_unique<Sink>(options);
  sink_->logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc));
  sink_->logger->set_level(spdlog::level::trace);
}

AsyncLog::~AsyncLog() = default;

void AsyncLog::write(Severity severity, const LogEvent& event) const {
  if (!takes(severity)) return;
  const std::string line = sink_->format == LogFormat::Json
                               ? event_to_json(utc_now(), name_of(severity), event, sink_->name)
                               : as_text(event);
  sink_->queued.fetch_add(1, std::memory_order_relaxed);
  sink_->logger->log(kSpdlogLevels[static_cast<std::size_t>(severity)], std::string_view{line});
}

LogFormat AsyncLog::format() const {
  return sink_->format;
}

LogStatus AsyncLog::status() const {
  const std::uint64_t written = sink_->stream->written();
  const std::uint64_t dropped = sink_->pool->overrun_counter();
  const std::uint64_t queued = sink_->queued.load(std::memory_order_relaxed);
  return {.waiting = queued - written - dropped, .dropped = dropped};
}

bool AsyncLog::takes(Severity severity) const {
  return severity >= sink_->level.load(std::memory_order_relaxed);
}

void AsyncLog::set_level(Severity level) const {
  sink_->level.store(level, std::memory_order_relaxed);
}

std::string event_to_json(std::string_view time, std::string_view severity, const LogEvent& event,
                          std::string_view name) {
  std::vector<std::string> keys;
  std::string json = "{";
  const auto add = [&](std::string key, const LogValue& value) {
    while (std::ranges::find(keys, key) != keys.end()) {
      key += '_';
    }
    if (!keys.empty()) json += ',';
    json += '"' + key + "\":" + std::visit(ValueJson{}, value);
    keys.push_back(std::move(key));
  };
  add("time", std::string{time});
  add("level", std::string{severity});
  add("event", std::string{event.name});
  if (!name.empty()) add("name", std::string{name});
  for (const LogField& field : event.fields) {
    add(std::string{field.key}, field.value);
  }
  return json + "}";
}

}  // namespace tickbox::os
