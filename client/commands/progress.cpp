#include "client/commands/progress.h"

#include "os/process/standard_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace tickbox::commands {
namespace {

constexpr Duration kOnTerminals = std::chrono::seconds{1};
constexpr Duration kElsewhere = std::chrono::seconds{5};

/// Columns of the terminal: a line that wraps could not be rewritten.
std::size_t columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) {
    return 79;
  }
  return size.ws_col - std::size_t{1};
}

}  // namespace

Progress::Progress(ProgressFor audience, Instant now) {
  terminal_ = isatty(STDERR_FILENO) == 1;
  shown_ = audience == ProgressFor::Everybody || (audience == ProgressFor::Terminals && terminal_);
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
}

bool Progress::due(Instant now) {
  if (!shown_ || now < next_) {
    return false;
  }
  next_ = now + (terminal_ ? kOnTerminals : kElsewhere);
  return true;
}

void Progress::show(const std::string& line) {
  if (!terminal_) {
    os::write_to_stderr(fmt::format("{}\n", line));
    return;
  }
  const std::string visible = line.substr(0, columns());
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
