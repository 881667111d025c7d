#include "client/commands/progress.h"

#include "os/process/standard_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace tickbox::commands {
namespace {

constexpr Duration kOnTerminals = std::chrono::seconds{1};
constexpr Duration kElsewhere = std::chrono::seconds{5};

/// The columns of a terminal that does not know them.
constexpr std::size_t kColumnsDefault = 80;

/// Returns the usable columns of the terminal. A line that wraps could not be rewritten.
std::size_t columns() {
  const std::size_t all = os::terminal_columns(STDERR_FILENO).value_or(kColumnsDefault);
  return std::max<std::size_t>(all, 2) - 1;
}

}  // namespace

std::string fitting(const std::string& line, std::size_t columns) {
  if (line.size() <= columns) return line;
  const std::size_t end = line.rfind("  ", columns);
  return line.substr(0, end != std::string::npos && end > 0 ? end : columns);
}

Progress::Progress(ProgressFor audience, Instant now) {
  terminal_ = isatty(STDERR_FILENO) == 1;
  shown_ = audience == ProgressFor::Everybody || (audience == ProgressFor::Terminals && terminal_);
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
}

bool Progress::due(Instant now) {
  if (!shown_ || now < next_) return false;
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
  return true;
}

void Progress::show(const std::string& line) {
  if (!terminal_) {
    os::write_to_stderr(fmt::format("{}\n", line));
    return;
  }
  const std::string visible = fitting(line, columns());
  os::write_to_stderr(fmt::format("\r{:<{}}", visible, std::max(width_, visible.size())));
  width_ = visible.size();
}

void Progress::clear() {
  if (terminal_ && width_ > 0) {
    os::write_to_stderr(fmt::format("\r{:<{}}\r", "", width_));
    width_ = 0;
  }
}

}  // namespace tickbox::commands
