#include "client/commands/when.h"

#include <fmt/format.h>

namespace tickbox::commands {
namespace {

constexpr WallTime kCalendarEnd = std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1};
constexpr WallTime kCalendarBegin{};

}  // namespace

std::string utc_text(WallTime time) {
  if (time < kCalendarBegin || time >= kCalendarEnd) return "after the year 9999";
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
