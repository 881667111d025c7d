#pragma once
// What the command lines of our programs have in common.
//
// A program is made, is given its options and commands (command.h), and then parses: each option
// has its environment variable, --config is read where there is one, and whatever is wrong becomes
// one line on stderr. Precedence: flag, TICKBOX_<FLAG>, TOML file, default.

#include "os/command.h"
#include "os/exit_code.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::os {

class Program : public Command {
 public:
  /// Has --json, --quiet and --version. The first thing that a process makes: it sees to it that
  /// nothing opened later is taken for stdout (standard_output.h).
  Program(const About& about, CommonFlags& flags);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Nothing to return means: go on. Otherwise the program ends with this: help or version was
  /// printed on stdout (Done, or Failed where that was not possible), or one line about what is
  /// wrong on stderr, and for --json a document on stdout (WrongUsage).
  [[nodiscard]] std::optional<ExitCode> parse(int argc, const char* const* argv);

 private:
  Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags);

  std::unique_ptr<CLI::App> app_;
};

/// "TICKBOX_TICK_RATE" for "--tick-rate".
[[nodiscard]] std::string environment_name(std::string_view flag);

}  // namespace tickbox::os
