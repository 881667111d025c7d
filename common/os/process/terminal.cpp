// Handlers run in the middle of anything: they use atomics, plain memory that is written before
// they are installed, and system calls that POSIX allows there.

#include "os/process/terminal.h"

#include "core/assert.h"
#include "os/process/system_error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace tickbox::os {
namespace {

/// How often the last bytes are tried on a terminal that takes none, and the wait after each try.
constexpr int kEndTries = 20;
constexpr int kEndWaitMs = 10;

/// The stack of the handlers. A crash may be an overflow of the normal one.
constexpr std::size_t kHandlerStackBytes = 65'536;

/// Signals that end or crash the process, beside those of StopSignals.
constexpr std::array kEnding = {SIGABRT, SIGALRM, SIGBUS,  SIGFPE,  SIGILL,  SIGQUIT,  SIGSEGV,
                                SIGSYS,  SIGTRAP, SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM};
constexpr std::array kCounted = {SIGWINCH, SIGTSTP, SIGCONT};

using Counter = std::atomic<int>;
static_assert(Counter::is_always_lock_free);

/// What the handlers use.
struct Shared {
  std::atomic<bool> is_taken{false};  ///< in raw mode, with its other screen
  int file = -1;
  termios before{};
  TerminalBytes bytes;
  Counter resizes{0};
  Counter stops{0};
  Counter continues{0};
  AssertHandler assert_before = nullptr;
  std::terminate_handler terminate_before = nullptr;
  std::array<struct sigaction, kEnding.size()> ending_before{};
  std::array<struct sigaction, kCounted.size()> counted_before{};
  stack_t stack_before{};
  std::array<char, kHandlerStackBytes> stack{};
};

Shared& shared() {
  constinit static Shared instance;
  return instance;
}

/// Sets the attributes even if this process is in the background, where that would stop it.
void set_attributes(int file, const termios& attributes) {
  sigset_t background;
  sigset_t before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &background, &before);
  tcsetattr(file, TCSANOW, &attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

/// Sends all bytes, or gives up after a fifth of a second.
void send_at_last(int file, std::string_view bytes) {
  for (int tries = 0; !bytes.empty() && tries < kEndTries; ++tries) {
    const ssize_t sent = ::write(file, bytes.data(), bytes.size());
    if (sent > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    pollfd writable{.fd = file, .events = POLLOUT, .revents = 0};
    poll(&writable, 1, kEndWaitMs);
  }
}

/// Restores the terminal, if it is taken. Keys that were typed and not read are dropped.
void restore() {
  Shared& all = shared();
  if (!all.is_taken.exchange(false)) return;
  const int error = errno;
  send_at_last(all.file, all.bytes.end);
  tcflush(all.file, TCIFLUSH);
  set_attributes(all.file, all.before);
  errno = error;
}

extern "C" void restore_and_end(int signal) {
  restore();
  // The handler is reset by now, so this ends the process.
  raise(signal);
}

extern "C" void count_terminal_signal(int signal) {
  Shared& all = shared();
  Counter& counter = signal == SIGWINCH  ? all.resizes
                     : signal == SIGTSTP ? all.stops
                                         : all.continues;
  counter.fetch_add(1, std::memory_order_relaxed);
}

void restore_and_report(const char* condition, const char* file, int line) {
  restore();
  shared().assert_before(condition, file, line);
}

[[noreturn]] void restore_and_terminate() {
  restore();
  shared().terminate_before();
  std::abort();
}

struct sigaction counting_action() {
  struct sigaction action{};
  action.sa_handler = count_terminal_signal;
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  return action;
}

void install_handlers() {
  Shared& all = shared();
  const stack_t stack{.ss_sp = all.stack.data(), .ss_flags = 0, .ss_size = all.stack.size()};
  TICKBOX_ASSERT(sigaltstack(&stack, &all.stack_before) == 0);
  struct sigaction ending{};
  ending.sa_handler = restore_and_end;
  sigemptyset(&ending.sa_mask);
  ending.sa_flags = static_cast<int>(SA_RESETHAND) | SA_NODEFER | SA_ONSTACK;
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    TICKBOX_ASSERT(sigaction(kEnding[i], &ending, &all.ending_before[i]) == 0);
  }
  const struct sigaction counting = counting_action();
  for (std::size_t i = 0; i < kCounted.size(); ++i) {
    TICKBOX_ASSERT(sigaction(kCounted[i], &counting, &all.counted_before[i]) == 0);
  }
  all.assert_before = set_assert_handler(restore_and_report);
  all.terminate_before = std::set_terminate(restore_and_terminate);
}

void remove_handlers() {
  const Shared& all = shared();
  std::set_terminate(all.terminate_before);
  set_assert_handler(all.assert_before);
  for (std::size_t i = 0; i < kCounted.size(); ++i) {
    sigaction(kCounted[i], &all.counted_before[i], nullptr);
  }
  for (std::size_t i = 0; i < kEnding.size(); ++i) {
    sigaction(kEnding[i], &all.ending_before[i], nullptr);
  }
  sigaltstack(&all.stack_before, nullptr);
}

/// Returns a variable of the environment; empty if it is not set.
std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets any
  return value == nullptr ? std::string_view{} : value;
}

/// Opens the terminal of stdout once more. Its reads and writes then do not wait, while those of
/// the shell, which shares stdin and stdout with this process, still do.
int open_terminal() {
  std::array<char, PATH_MAX> path{};
  if (const int error = ttyname_r(STDOUT_FILENO, path.data(), path.size()); error != 0) {
    errno = error;
    return -1;
  }
  return ::open(path.data(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

bool can_draw() {
  const std::string_view type = variable("TERM");
  if (type.empty() || type == "dumb") return false;
  if (isatty(STDIN_FILENO) != 1 || isatty(STDOUT_FILENO) != 1) return false;
  return tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

bool wants_no_colour() {
  return !variable("NO_COLOR").empty();
}

std::expected<std::unique_ptr<Terminal>, std::string> Terminal::open(const TerminalBytes& bytes) {
  Shared& all = shared();
  TICKBOX_ASSERT(all.file == -1);
  const int file = open_terminal();
  if (file < 0) return std::unexpected{"cannot open the terminal: " + reason_of(errno)};
  if (tcgetattr(file, &all.before) != 0) {
    const std::string reason = reason_of(errno);
    close(file);
    return std::unexpected{"cannot read the settings of the terminal: " + reason};
  }
  all.file = file;
  all.bytes = bytes;
  install_handlers();
  std::unique_ptr<Terminal> terminal{new Terminal};
  terminal->resizes_ = all.resizes;
  terminal->stops_ = all.stops;
  terminal->continues_ = all.continues;
  terminal->begin();
  return terminal;
}

Terminal::~Terminal() {
  restore();
  remove_handlers();
  close(shared().file);
  shared().file = -1;
}

void Terminal::begin() {
  Shared& all = shared();
  termios raw = all.before;
  raw.c_iflag &= ~static_cast<tcflag_t>(ICRNL | INLCR | IGNCR | IXON | ISTRIP);
  raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN);
  raw.c_cc[VMIN] = 1;
  raw.c_cc[VTIME] = 0;
  all.is_taken = true;
  tcsetattr(all.file, TCSANOW, &raw);
  waiting_.clear();
  was_lost_ = true;
  write(all.bytes.begin);
}

TerminalSize Terminal::size() const {
  winsize size{};
  if (ioctl(shared().file, TIOCGWINSZ, &size) != 0) return {};
  return {.columns = size.ws_col, .rows = size.ws_row};
}

std::string_view Terminal::read() {
  constexpr std::size_t kTypedMax = 4'096;
  typed_.resize(kTypedMax);
  const ssize_t count = ::read(shared().file, typed_.data(), typed_.size());
  typed_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return typed_;
}

void Terminal::write(std::string_view bytes) {
  if (!shared().is_taken) return;
  waiting_ += bytes;
  flush();
}

bool Terminal::flush() {
  while (!waiting_.empty()) {
    const ssize_t sent = ::write(shared().file, waiting_.data(), waiting_.size());
    if (sent <= 0) return false;
    waiting_.erase(0, static_cast<std::size_t>(sent));
  }
  return true;
}

void Terminal::request_stop() {
  kill(0, SIGTSTP);
}

void Terminal::stop() {
  restore();
  struct sigaction by_default{};
  by_default.sa_handler = SIG_DFL;
  struct sigaction before{};
  sigaction(SIGTSTP, &by_default, &before);
  // Stops here until a shell continues the process.
  raise(SIGTSTP);
  sigaction(SIGTSTP, &before, nullptr);
  stops_ = shared().stops;
}

bool Terminal::consume_changes() {
  Shared& all = shared();
  if (stops_ != all.stops) {
    stop();
    return false;
  }
  if (continues_ != all.continues || !all.is_taken) {
    continues_ = all.continues;
    // After a SIGSTOP, which cannot be handled, the terminal is still taken, but the shell may have
    // changed it.
    restore();
    begin();
  }
  if (resizes_ != all.resizes) {
    resizes_ = all.resizes;
    was_lost_ = true;
  }
  return std::exchange(was_lost_, false);
}

}  // namespace tickbox::os
