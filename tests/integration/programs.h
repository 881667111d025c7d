#pragma once
// The programs as commands, run to their end.

#include "tests/integration/process.h"

#include <functional>
#include <ostream>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {

/// Exit codes as the command line's page states them: written out, not taken from the programs'
/// own header.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kCheckFailed = 3;
inline constexpr int kNotConnected = 4;
/// Of a load that was stopped before its end, or that a busy machine held up: its document is
/// whole.
inline constexpr int kInconclusive = 5;

[[nodiscard]] Command tickbox(std::vector<std::string> arguments);
[[nodiscard]] Command tickbox_server(std::vector<std::string> arguments);
/// The server with built-in faults. `fault` is an environment variable, as NAME=VALUE, of the table
/// in tests/faulty/README.md.
[[nodiscard]] Command faulty_server(std::vector<std::string> arguments, std::string fault);

/// How a program ended.
struct Finished {
  int exit_code = 0;
  std::string out{};
  std::string err{};

  friend std::ostream& operator<<(std::ostream& stream, const Finished& finished);
};

/// Waits for the end of what has been started. Throws std::runtime_error when it does not come.
[[nodiscard]] Finished finish(Process& process);

/// Runs it from start to end.
[[nodiscard]] Finished run(const Command& command);

[[nodiscard]] std::size_t line_count(std::string_view text);
[[nodiscard]] std::string last_line(std::string_view text);

/// Expects this exit code, and each of these words in stderr; a failure names the caller's line.
void expect_ended(const Finished& finished, int exit_code, const std::vector<std::string>& words,
                  std::source_location caller = std::source_location::current());

/// The same, of a program that wrote one line to stderr.
void expect_one_line(const Finished& finished, int exit_code, const std::vector<std::string>& words,
                     std::source_location caller = std::source_location::current());

/// Runs it. Expects the exit code of wrong usage, nothing on stdout, and one line with these words.
void expect_wrong_usage(const Command& command, const std::vector<std::string>& words,
                        std::source_location caller = std::source_location::current());

/// Asks again and again until it is true. Returns whether it came true in time.
[[nodiscard]] bool eventually(const std::function<bool()>& condition);

}  // namespace tickbox::integration
