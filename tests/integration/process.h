#pragma once
// A program started by a test: its two outputs are read as they come, and it never outlives us.

#include "core/clock.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace tickbox::integration {

/// How long a wait of these tests may take before it is a failure, if it has no other bound: a
/// sanitized program on a busy machine is slow. A passing test waits only as long as it must.
inline constexpr Duration kPatience = std::chrono::minutes{1};

struct Command {
  std::string program;  ///< path
  std::vector<std::string> arguments{};
  /// NAME=value. They replace inherited variables of the same name; our TICKBOX_... are not
  /// inherited.
  std::vector<std::string> environment{};
};

/// What a program had written to stdout and stderr.
struct Output {
  std::string out{};
  std::string err{};
};

/// Owns: the child. The destructor kills and reaps it. If we are killed, the kernel kills it.
/// Thread: one.
class Process {
 public:
  /// Throws std::system_error if the process cannot be created.
  explicit Process(const Command& command);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  /// Does nothing once it has ended.
  void signal(int number);

  [[nodiscard]] pid_t id() const { return pid_; }

  /// The exit code, or 128 and the signal that ended it; nothing while it still runs.
  [[nodiscard]] std::optional<int> wait(Duration timeout);

  [[nodiscard]] Output output() const;

  /// Waits until `wanted` of what it has written so far, or until it has ended. Returns whether it
  /// came true.
  [[nodiscard]] bool wait_for_output(const std::function<bool(const Output&)>& wanted,
                                     Duration timeout);

 private:
  struct Pipe {
    int read_end = -1;
    int write_end = -1;
  };

  static Pipe open_pipe();
  void read_until_end();
  [[nodiscard]] bool read_some(int file, std::string& text);

  Pipe out_pipe_;
  Pipe err_pipe_;
  pid_t pid_ = -1;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Output output_;
  std::optional<int> exit_code_;
  std::thread reader_;  ///< last: it uses all the others
};

}  // namespace tickbox::integration
