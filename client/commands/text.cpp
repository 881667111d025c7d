#include "client/commands/text.h"

#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tickbox::commands {
namespace {

constexpr WallTime kCalendarEnd = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};
constexpr WallTime kCalendarBegin{};

}  // namespace

std::expected<std::uint64_t, std::string> parse_client(std::string_view text) {
  if (const auto id = parse_as<std::uint64_t>(text)) return *id;
  return std::unexpected{fmt::format("'{}' is not a client id; give a whole number, 0 to {}", text,
                                     std::numeric_limits<std::uint64_t>::max())};
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) {
    digits.insert(at - 3, 1, ',');
  }
  return digits;
}

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", grouped(number), one)
                      : fmt::format("{} {}", grouped(number), many);
}

std::string short_number(double number) {
  if (number >= 9.95) return grouped(static_cast<std::uint64_t>(std::llround(number)));
  return number >= 1 ? fmt::format("{:.1f}", number) : fmt::format("{:.2g}", number);
}

std::string utc_text(WallTime time) {
  if (time < kCalendarBegin) return "before the year 1970";
  if (time >= kCalendarEnd) return "after the year 9999";
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int{date.year()},
                     unsigned{date.month()}, unsigned{date.day()}, clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count());
}

std::int64_t seconds_until(WallTime time, WallTime now) {
  return std::chrono::floor<std::chrono::seconds>(time - now).count();
}

std::string distance_text(WallTime time, WallTime now) {
  const bool passed = time <= now;
  const std::int64_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(passed ? now - time : time - now).count();
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  const std::string length = days >= 2      ? fmt::format("{} days {} h", days, hours % 24)
                             : hours >= 1   ? fmt::format("{} h {} min", hours, minutes % 60)
                             : minutes >= 2 ? fmt::format("{} min {} s", minutes, seconds % 60)
                                            : fmt::format("{} s", seconds);
  return passed ? length + " ago" : "in " + length;
}

}  // namespace tickbox::commands
