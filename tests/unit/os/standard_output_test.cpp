// The last words of a program on a stderr that nobody reads, and the width of a terminal.

#include "os/process/standard_output.h"

#include "core/assert.h"
#include "tests/support/patience.h"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

/// A terminal without a screen.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    std::array<char, 64> name{};
    EXPECT_EQ(grantpt(master_) | unlockpt(master_), 0);
    EXPECT_EQ(ptsname_r(master_, name.data(), name.size()), 0);
    stream_ = open(name.data(), O_RDWR | O_NOCTTY);
    EXPECT_GE(stream_, 0);
  }

  ~Terminal() {
    close(stream_);
    close(master_);
  }

  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void set_columns(unsigned short columns) const {
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(ioctl(master_, TIOCSWINSZ, &size), 0);
  }

  [[nodiscard]] int stream() const { return stream_; }

 private:
  int master_;
  int stream_ = -1;
};

TEST(TerminalColumns, AreThoseOfTheTerminal) {
  const Terminal terminal;
  terminal.set_columns(97);
  EXPECT_EQ(terminal_columns(terminal.stream()), 97U);
}

TEST(TerminalColumns, AreUnknownWhereTheTerminalDoesNotSay) {
  const Terminal terminal;
  terminal.set_columns(0);
  EXPECT_EQ(terminal_columns(terminal.stream()), std::nullopt);
}

TEST(TerminalColumns, AreUnknownOfAFile) {
  const int file = open("/dev/null", O_RDONLY);
  EXPECT_EQ(terminal_columns(file), std::nullopt);
  close(file);
}

// Before the fix, a tool whose stderr nobody read hung without end in its failed assertion.
TEST(FailedAssertion, EndsAProgramWhoseStderrNobodyReads) {
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_CLOEXEC | O_NONBLOCK), 0);
  while (write(pipe[1], "full", 4) > 0) {
  }
  ASSERT_EQ(fcntl(pipe[1], F_SETFL, 0), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe[1], STDERR_FILENO);
    set_assert_handler(&report_failed_condition);
    assert_failed("planted", "file", 1);
  }
  int status = 0;
  const bool has_ended =
      tests::comes_true([&] { return waitpid(child, &status, WNOHANG) == child; });
  if (!has_ended) kill(child, SIGKILL);
  EXPECT_TRUE(has_ended);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  close(pipe[0]);
  close(pipe[1]);
}

}  // namespace
}  // namespace tickbox::os
