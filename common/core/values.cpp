// A duration or a size is a number and then one of a short list of units, or no unit. No other
// character may stand before, between or after them.

#include "core/values.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

namespace tickbox {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
/// Ten years: longer than any run, and far below the largest Duration.
constexpr std::uint64_t kNanosecondsMax =
    std::uint64_t{10} * 366 * 24 * 3600 * kNanosecondsPerSecond;
/// 8 PiB: more than any disk has.
constexpr std::uint64_t kBytesMax = std::uint64_t{1} << 53U;

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

/// A number times its unit.
struct Quantity {
  std::uint64_t value = 0;  ///< rounded down; the largest number if it does not fit
  bool is_whole = true;
  bool rounds_up = false;
};

/// Multiplies decimals, those behind the point, by a factor below 10^18.
Quantity times(std::string_view decimals, std::uint64_t factor) {
  Quantity product;
  std::uint64_t rest = 0;
  for (const char digit : decimals | std::views::reverse) {
    const std::uint64_t sum = product.value + static_cast<std::uint64_t>(digit - '0') * factor;
    product.value = sum / 10;
    rest = sum % 10;
    product.is_whole = product.is_whole && rest == 0;
  }
  product.rounds_up = rest >= 5;
  return product;
}

std::optional<Quantity> parse_quantity(std::string_view text, std::initializer_list<Unit> units) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view number = text.substr(0, length);
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = number.substr(0, point);
  const std::string_view decimals = number.substr(std::min(point + 1, number.size()));
  const auto unit = std::ranges::find(units, text.substr(length), &Unit::name);
  if (whole.size() + decimals.size() == 0 || decimals.contains('.') || unit == units.end()) {
    return std::nullopt;
  }
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Quantity quantity = times(decimals, unit->factor);
  std::uint64_t count = 0;
  const bool is_large = std::from_chars(whole.data(), whole.data() + whole.size(), count).ec ==
                            std::errc::result_out_of_range ||
                        count > (kMost - quantity.value) / unit->factor;
  quantity.value = is_large ? kMost : quantity.value + count * unit->factor;
  return quantity;
}

}  // namespace

std::expected<Duration, std::string> parse_duration(std::string_view text) {
  constexpr std::uint64_t kSecond = kNanosecondsPerSecond;
  const auto nanoseconds = parse_quantity(text, {{"", kSecond},
                                                 {"ns", 1},
                                                 {"us", 1'000},
                                                 {"ms", 1'000'000},
                                                 {"s", kSecond},
                                                 {"m", 60 * kSecond},
                                                 {"h", 3'600 * kSecond}});
  if (!nanoseconds) {
    return refuse(text, "duration", "10, 250ms, 5m or 24h; the units are ns, us, ms, s, m and h");
  }
  if (nanoseconds->value > kNanosecondsMax) {
    return std::unexpected{"'" + std::string{text} +
                           "' is too long; the most is 87840h, ten years"};
  }
  return Duration{static_cast<std::int64_t>(nanoseconds->value) +
                  std::int64_t{nanoseconds->rounds_up}};
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
  constexpr std::uint64_t kKibi = 1'024;
  const auto bytes = parse_quantity(
      text,
      {{"", 1}, {"B", 1}, {"KiB", kKibi}, {"MiB", kKibi * kKibi}, {"GiB", kKibi * kKibi * kKibi}});
  if (!bytes || !bytes->is_whole || bytes->value > kBytesMax) {
    return refuse(text, "size", "512, 64KiB, 4MiB or 2GiB: the units are B, KiB, MiB and GiB");
  }
  return bytes->value;
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
