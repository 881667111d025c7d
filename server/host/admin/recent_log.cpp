#include "server/host/admin/recent_log.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tickbox::server {
namespace {

bool is_address(const LogField& field) {
  return field.key == "address";
}

std::string line_of(const LogEvent& event) {
  std::string line = as_text(event);
  if (line.size() > RecentLog::kLineBytesMax) {
    line.resize(RecentLog::kLineBytesMax);
    line += "...";
  }
  return line;
}

}  // namespace

void RecentLog::add(WallTime time, Severity severity, const LogEvent& event) {
  Line line{.shown = {.time = time, .severity = severity, .text = line_of(event)},
            .without_address = {}};
  if (std::ranges::any_of(event.fields, is_address)) {
    LogEvent rest = event;
    std::erase_if(rest.fields, is_address);
    line.without_address = line_of(rest);
  }
  const auto added = std::make_shared<Line>(std::move(line));
  const std::scoped_lock lock{mutex_};
  added->shown.number = ++count_;
  if (lines_.size() == kLinesMax) lines_.pop_front();
  lines_.push_back(added);
}

std::vector<RecentLine> RecentLog::after(std::uint64_t number, Addresses addresses) const {
  // A thread that writes a line waits for the copy of pointers alone.
  std::deque<std::shared_ptr<const Line>> lines;
  {
    const std::scoped_lock lock{mutex_};
    lines = lines_;
  }
  std::vector<RecentLine> after;
  for (const auto& line : lines) {
    if (line->shown.number <= number) continue;
    after.push_back(line->shown);
    if (addresses == Addresses::LeftOut && !line->without_address.empty()) {
      after.back().text = line->without_address;
    }
  }
  return after;
}

}  // namespace tickbox::server
