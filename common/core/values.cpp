// A duration or a size is a number and then one of a short list of units, or no unit. No other
// character may stand before, between or after them.

#include "core/values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <utility>

namespace tickbox {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

/// Ten years: longer than any run, and far below the largest Duration.
constexpr double kNanosecondsMax = 10.0 * 366 * 24 * 3600 * 1e9;
/// Whole numbers up to this one are exact in a double.
constexpr double kExactMax = 9'007'199'254'740'992.0;

std::unexpected<std::string> refuse(std::string_view text, std::string_view kind,
                                    std::string_view example) {
  return std::unexpected{"'" + std::string{text} + "' is not a " + std::string{kind} + "; try " +
                         std::string{example}};
}

/// Formats a duration in the largest unit that needs no fraction.
std::string text_of(Duration duration) {
  constexpr std::pair<std::int64_t, const char*> kUnits[] = {
      {3'600'000'000'000, "h"}, {60'000'000'000, "m"}, {1'000'000'000, "s"},
      {1'000'000, "ms"},        {1'000, "us"},         {1, "ns"}};
  const std::int64_t nanoseconds = duration.count();
  for (const auto& [unit, name] : kUnits) {
    if (nanoseconds >= unit && nanoseconds % unit == 0) {
      return std::to_string(nanoseconds / unit) + name;
    }
  }
  return "0s";
}

std::optional<double> parse_quantity(std::string_view text, std::initializer_list<Unit> units) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view digits = text.substr(0, length);
  const std::string_view name = text.substr(length);
  double number = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number,
                                             std::chars_format::fixed);
  if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
  const auto unit = std::ranges::find(units, name, &Unit::name);
  if (unit == units.end()) return std::nullopt;
  return number * unit->factor;
}

}  // namespace

std::expected<Duration, std::string> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_quantity(
      text,
      {{"", 1e9}, {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}});
  if (!nanoseconds) {
    return refuse(text, "duration", "10, 250ms, 5m or 24h; the units are ns, us, ms, s, m and h");
  }
  if (*nanoseconds > kNanosecondsMax) {
    return std::unexpected{"'" + std::string{text} +
                           "' is too long; the most is 87840h, ten years"};
  }
  return Duration{std::llround(*nanoseconds)};
}

std::expected<Duration, std::string> parse_duration_between(std::string_view text, Duration least,
                                                            Duration most) {
  const auto duration = parse_duration(text);
  if (!duration || (*duration >= least && *duration <= most)) return duration;
  const bool is_short = *duration < least;
  return std::unexpected{"'" + std::string{text} + "' is too " + (is_short ? "short" : "long") +
                         "; the " + (is_short ? "least" : "most") + " is " +
                         text_of(is_short ? least : most)};
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  const auto bytes = parse_quantity(
      text,
      {{"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024}});
  if (!bytes || *bytes > kExactMax || *bytes != std::floor(*bytes)) {
    return refuse(text, "size", "512, 64KiB, 4MiB or 2GiB: the units are B, KiB, MiB and GiB");
  }
  return static_cast<std::uint64_t>(*bytes);
}

std::expected<HostPort, std::string> parse_host_port(std::string_view text) {
  const std::string example = "127.0.0.1:7777, localhost:7777 or [::1]:7777";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refuse(text, "HOST:PORT", example);
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty() || host.find_first_of("[] \t") != std::string_view::npos ||
      (!bracketed && host.contains(':'))) {
    return refuse(text, "HOST:PORT", example);
  }
  const auto number = parse_as<std::uint16_t>(port);
  if (!number) return refuse(text, "HOST:PORT", example + "; a port is 0 to 65535");
  return HostPort{.host = std::string{host}, .port = *number};
}

}  // namespace tickbox
