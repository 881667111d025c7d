#pragma once
// The newest lines of the log, for those who watch the server in a browser.

#include "core/clock.h"
#include "core/log_event.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tickbox::server {

struct RecentLine {
  std::uint64_t number = 0;  ///< of all lines, from 1
  WallTime time;
  Severity severity = Severity::Info;
  std::string text{};
};

/// Whether lines have the addresses of clients.
enum class Addresses : std::uint8_t { LeftOut, Shown };

/// Thread: any. Cost: formats a line, and locks for a few instructions, as AsyncLog does.
class RecentLog {
 public:
  static constexpr std::size_t kLinesMax = 100;
  /// A longer line is cut.
  static constexpr std::size_t kLineBytesMax = 500;

  void add(WallTime time, Severity severity, const LogEvent& event);

  /// Returns the lines that follow the one with this number, the oldest first. With LeftOut, none
  /// has a field `address`.
  [[nodiscard]] std::vector<RecentLine> after(std::uint64_t number, Addresses addresses) const;

 private:
  struct Line {
    RecentLine shown;
    std::string without_address;  ///< empty: the same
  };

  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const Line>> lines_;
  std::uint64_t count_ = 0;
};

}  // namespace tickbox::server
