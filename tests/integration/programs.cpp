#include "tests/integration/programs.h"

#include "tests/support/paths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace tickbox::integration {
namespace {

constexpr Duration kBetweenQuestions = std::chrono::milliseconds{20};

Command program(const char* name, std::vector<std::string> arguments) {
  return {.program = tests::built_program(name), .arguments = std::move(arguments)};
}

}  // namespace

Command tickbox(std::vector<std::string> arguments) {
  return program("tickbox", std::move(arguments));
}

Command tickbox_server(std::vector<std::string> arguments) {
  return program("tickbox-server", std::move(arguments));
}

Command faulty_server(std::vector<std::string> arguments, std::string fault) {
  Command command = program("faulty-server", std::move(arguments));
  command.environment.push_back(std::move(fault));
  return command;
}

std::ostream& operator<<(std::ostream& stream, const Finished& finished) {
  return stream << "exit code " << finished.exit_code << "\nstdout:\n"
                << finished.out << "stderr:\n"
                << finished.err;
}

Finished finish(Process& process) {
  const std::optional<int> exit_code = process.wait(kPatience);
  Output output = process.output();
  if (!exit_code) {
    throw std::runtime_error{"it did not end\nstdout:\n" + output.out + "stderr:\n" + output.err};
  }
  return {.exit_code = *exit_code, .out = std::move(output.out), .err = std::move(output.err)};
}

Finished run(const Command& command) {
  Process process{command};
  return finish(process);
}

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string last_line(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::string{text.substr(text.find_last_of('\n') + 1)};
}

void expect_ended(const Finished& finished, int exit_code, const std::vector<std::string>& words,
                  std::source_location caller) {
  const testing::ScopedTrace trace{caller.file_name(), static_cast<int>(caller.line()), ""};
  EXPECT_EQ(finished.exit_code, exit_code) << finished;
  for (const std::string& each : words)
    EXPECT_TRUE(finished.err.contains(each)) << each << " is not in: " << finished.err;
}

void expect_one_line(const Finished& finished, int exit_code, const std::vector<std::string>& words,
                     std::source_location caller) {
  expect_ended(finished, exit_code, words, caller);
  const testing::ScopedTrace trace{caller.file_name(), static_cast<int>(caller.line()), ""};
  EXPECT_EQ(line_count(finished.err), 1U) << finished;
}

void expect_wrong_usage(const Command& command, const std::vector<std::string>& words,
                        std::source_location caller) {
  const Finished finished = run(command);
  expect_one_line(finished, kWrongUsage, words, caller);
  const testing::ScopedTrace trace{caller.file_name(), static_cast<int>(caller.line()), ""};
  EXPECT_EQ(finished.out, "");
}

bool eventually(const std::function<bool()>& condition) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(kBetweenQuestions);
  }
  return true;
}

}  // namespace tickbox::integration
