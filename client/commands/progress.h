#pragma once
// The progress line on stderr. On a terminal one line is rewritten; elsewhere a new line is written
// every few seconds. A terminal cuts a long line, so alarms come first and plain figures last.

#include "core/clock.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::commands {

/// The audience of the progress line.
enum class ProgressFor : std::uint8_t {
  Nobody,
  Terminals,  ///< only if stderr is a terminal
  Everybody,  ///< also if stderr is no terminal: a line every few seconds
};

class Progress {
 public:
  Progress(ProgressFor audience, Instant now);

  /// Returns whether a line is due, at most once per second, and sets the time of the next.
  [[nodiscard]] bool due(Instant now);

  void show(const std::string& line);

  /// Clears the line on a terminal, before anything else is written.
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  Instant next_;
  std::size_t width_ = 0;  ///< columns of the line on the terminal
};

/// Returns the figures of a line that fit the width: whole ones, which two spaces separate.
[[nodiscard]] std::string fitting(const std::string& line, std::size_t columns);

}  // namespace tickbox::commands
