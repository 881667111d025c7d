#pragma once
// What the command lines of our programs have in common.
//
// A program makes a CLI::App, calls prepare(), adds its own options (add_value() for those of
// os/values.h), then hands it to parse_or_exit_code(), which gives each option its environment
// variable, reads --config where there is one, and turns whatever is wrong into one line on stderr.
// Precedence: flag, TICKBOX_<FLAG>, TOML file, default.

#include "os/exit_code.h"

#include <CLI/CLI.hpp>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::os {

/// The flags that every program has.
struct CommonFlags {
  bool json = false;   ///< one JSON document as the last line on stdout
  bool quiet = false;  ///< no progress on stderr
};

/// Gives a program, or a subcommand, its description, an example for the end of --help, and --json
/// and --quiet; a program also --version. Requires: `flags` outlives `app`.
void prepare(CLI::App& app, std::string_view description, std::string_view example,
             CommonFlags& flags);

/// Adds `--config F`: a TOML file whose keys are the other options of `app`.
CLI::Option* add_config(CLI::App& app);

/// Adds an option whose text goes through `parse`; its error is the message of the usage error.
/// Requires: `target` outlives `app`.
template <class T>
CLI::Option* add_value(CLI::App& app, const std::string& name, T& target,
                       std::expected<T, std::string> (*parse)(std::string_view),
                       const std::string& help) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, parse, name](const std::string& text) {
            auto value = parse(text);
            if (!value) throw CLI::ValidationError{name, value.error()};
            target = *std::move(value);
          },
          help)
      ->run_callback_for_default();
}

/// The same for an option that may be given several times, or with several values joined by commas
/// as variables and files have them. Requires: `target` outlives `app`.
template <class T>
CLI::Option* add_values(CLI::App& app, const std::string& name, std::vector<T>& target,
                        std::expected<T, std::string> (*parse)(std::string_view),
                        const std::string& help) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&target, parse, name](const std::vector<std::string>& texts) {
            std::vector<T> values;
            for (const std::string& text : texts) {
              auto value = parse(text);
              if (!value) throw CLI::ValidationError{name, value.error()};
              values.push_back(*std::move(value));
            }
            target = std::move(values);
          },
          help)
      ->run_callback_for_default()
      ->allow_extra_args(false)
      ->delimiter(',');
}

/// Parses. Nothing to return means: go on. Otherwise the program ends with this: help or version
/// was printed on stdout (Done, or Failed where that was not possible), or one line about what is
/// wrong on stderr, and for --json a document on stdout (WrongUsage).
[[nodiscard]] std::optional<ExitCode> parse_or_exit_code(CLI::App& app, int argc,
                                                         const char* const* argv);

/// "TICKBOX_TICK_RATE" for "--tick-rate".
[[nodiscard]] std::string environment_name(std::string_view flag);

}  // namespace tickbox::os
