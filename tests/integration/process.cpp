// A thread for each child reads both pipes until they are closed, then waits for the child's end,
// so that no child ever blocks on a full pipe, whatever the test is waiting for.

#include "tests/integration/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tickbox::integration {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error{errno, std::generic_category(), what};
}

std::string_view name_of(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

std::vector<std::string> environment_for(const Command& command) {
  std::vector<std::string> variables = command.environment;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view inherited = *each;
    bool handed_on = !inherited.starts_with("TICKBOX_");
    for (const std::string& own : command.environment) {
      handed_on = handed_on && name_of(own) != name_of(inherited);
    }
    if (handed_on) variables.emplace_back(inherited);
  }
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) {
    pointers.push_back(text.data());
  }
  pointers.push_back(nullptr);
  return pointers;
}

/// What the child needs, ready before it exists: after fork() it may not allocate.
struct Launch {
  const char* program;
  char* const* arguments;
  char* const* environment;
  int out;
  int err;
  pid_t parent;
};

/// The child has its three streams alone, whatever stood open where the tests were started.
[[noreturn]] void become(const Launch& launch) {
  constexpr int kCannotRun = 127;
  constexpr unsigned kLastFile = ~0U;
  const int nothing = open("/dev/null", O_RDONLY);
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != launch.parent || nothing < 0 ||
      dup2(nothing, STDIN_FILENO) < 0 || dup2(launch.out, STDOUT_FILENO) < 0 ||
      dup2(launch.err, STDERR_FILENO) < 0 ||
      close_range(STDERR_FILENO + 1, kLastFile, CLOSE_RANGE_CLOEXEC) != 0) {
    _exit(kCannotRun);
  }
  execve(launch.program, launch.arguments, launch.environment);
  _exit(kCannotRun);
}

int exit_code_of(int status) {
  constexpr int kSignalled = 128;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
}

}  // namespace

Process::Pipe Process::open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe2");
  return {.read_end = ends[0], .write_end = ends[1]};
}

Process::Process(const Command& command) : out_pipe_(open_pipe()), err_pipe_(open_pipe()) {
  std::vector<std::string> arguments = command.arguments;
  arguments.insert(arguments.begin(), command.program);
  std::vector<std::string> environment = environment_for(command);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const Launch launch{.program = command.program.c_str(),
                      .arguments = argument_pointers.data(),
                      .environment = environment_pointers.data(),
                      .out = out_pipe_.write_end,
                      .err = err_pipe_.write_end,
                      .parent = getpid()};
  pid_ = fork();
  if (pid_ == 0) become(launch);
  const int error = errno;
  close(out_pipe_.write_end);
  close(err_pipe_.write_end);
  if (pid_ < 0) {
    close(out_pipe_.read_end);
    close(err_pipe_.read_end);
    errno = error;
    fail("fork");
  }
  reader_ = std::thread{[this] { read_until_end(); }};
}

Process::~Process() {
  signal(SIGKILL);
  reader_.join();
  close(out_pipe_.read_end);
  close(err_pipe_.read_end);
}

void Process::signal(int number) {
  const std::scoped_lock lock{mutex_};
  if (!exit_code_) kill(pid_, number);
}

std::optional<int> Process::wait(Duration timeout) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, timeout, [this] { return exit_code_.has_value(); });
  return exit_code_;
}

Output Process::output() const {
  const std::scoped_lock lock{mutex_};
  return output_;
}

bool Process::wait_for_output(const std::function<bool(const Output&)>& wanted, Duration timeout) {
  std::unique_lock lock{mutex_};
  changed_.wait_for(lock, timeout, [&] { return wanted(output_) || exit_code_.has_value(); });
  return wanted(output_);
}

/// Returns whether more may come.
bool Process::read_some(int file, std::string& text) {
  std::array<char, 4096> buffer{};
  const ssize_t count = read(file, buffer.data(), buffer.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  const std::scoped_lock lock{mutex_};
  text.append(buffer.data(), static_cast<std::size_t>(count));
  changed_.notify_all();
  return true;
}

void Process::read_until_end() {
  std::array<pollfd, 2> files{{{.fd = out_pipe_.read_end, .events = POLLIN, .revents = 0},
                               {.fd = err_pipe_.read_end, .events = POLLIN, .revents = 0}}};
  const std::array<std::string*, 2> texts{&output_.out, &output_.err};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    if (poll(files.data(), files.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (files[i].revents != 0 && !read_some(files[i].fd, *texts[i])) {
        files[i].fd = -1;  // poll() passes over it
      }
    }
  }
  // Waits without reaping: until it is reaped under the lock, signal() cannot hit another process
  // that was given the same number.
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  const std::scoped_lock lock{mutex_};
  int status = 0;
  waitpid(pid_, &status, 0);
  exit_code_ = exit_code_of(status);
  changed_.notify_all();
}

}  // namespace tickbox::integration
