#include "os/process/standard_output.h"

#include "core/assert.h"
#include "os/process/system_error.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <tuple>
#include <unistd.h>

namespace tickbox::os {

std::expected<void, std::string> write_to_stdout(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return {};
  }
  return std::unexpected{"cannot write to stdout: " + reason_of(errno)};
}

void write_to_stderr(std::string_view text) {
  std::ignore = std::fwrite(text.data(), 1, text.size(), stderr);
}

void write_to_stderr_directly(std::string_view text) {
  // Without O_NONBLOCK, a write to a pipe that nobody reads has no end.
  constexpr int kAttempts = 10;
  constexpr int kAttemptMilliseconds = 100;
  const int flags = ::fcntl(STDERR_FILENO, F_GETFL);
  (void)::fcntl(STDERR_FILENO, F_SETFL, flags | O_NONBLOCK);
  for (int attempt = 0; attempt < kAttempts && !text.empty();) {
    const ssize_t taken = ::write(STDERR_FILENO, text.data(), text.size());
    if (taken > 0) {
      text.remove_prefix(static_cast<std::size_t>(taken));
      continue;
    }
    if (taken < 0 && errno != EAGAIN && errno != EINTR) break;
    pollfd writable{.fd = STDERR_FILENO, .events = POLLOUT, .revents = 0};
    (void)::poll(&writable, 1, kAttemptMilliseconds);
    ++attempt;
  }
  (void)::fcntl(STDERR_FILENO, F_SETFL, flags);
}

void report_failed_condition(const char* condition, const char* file, int line) {
  write_to_stderr_directly(failed_condition_text(condition, file, line));
}

std::optional<std::size_t> terminal_columns(int stream) {
  winsize size{};
  if (ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

void hold_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // open() returns the lowest free number, this one. The mode is the opposite of the stream's
    // use, so that reads and writes fail.
    const int way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", way) != stream) return;
  }
}

}  // namespace tickbox::os
