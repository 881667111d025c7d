#pragma once
// The live line on stderr: rewritten on a terminal, now and then a line of its own elsewhere.

#include "core/clock.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::commands {

/// Who sees the live line.
enum class ProgressFor : std::uint8_t {
  Nobody,
  Terminals,  ///< only where stderr is one
  Everybody,  ///< a line every few seconds where it is none
};

class Progress {
 public:
  Progress(ProgressFor audience, Instant now);

  /// Whether a line is wanted now; asks once a second at most.
  [[nodiscard]] bool due(Instant now);

  void show(const std::string& line);

  /// Clears the line on a terminal, before anything else is written.
  void clear();

 private:
  bool terminal_ = false;
  bool shown_ = false;
  Instant next_;
  std::size_t width_ = 0;  ///< of what stands on the terminal
};

}  // namespace tickbox::commands
