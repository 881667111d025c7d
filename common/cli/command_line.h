#pragma once
// The command line of a program: its commands, their options, and what is wrong with the words.
//
// Each option has its environment variable, and --config reads a TOML file. Precedence: flag,
// TICKBOX_<FLAG>, file, default. CLI11 parses; one source includes it, as its templates take a
// compiler seconds in each.

#include "cli/exit_code.h"

#include <concepts>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace tickbox::cli {

struct ConfigEntry;

/// The flags that every command has.
struct CommonFlags {
  bool json = false;   ///< one JSON document as the last line on stdout
  bool quiet = false;  ///< no progress on stderr
};

/// What --help says of a command.
struct About {
  std::string name{};  ///< empty: that of the program's file
  std::string description;
  std::string example;
  std::string json = "Print one JSON document as the last line on stdout";
  std::string quiet = "Print no progress on stderr";
};

/// A condition on the text of a value.
struct Check {
  std::function<std::string(const std::string&)> fault{};  ///< one line; empty: the text is fine
  std::string kind{};                                      ///< for --help: "ADDRESS"
};

[[nodiscard]] Check one_of(const std::vector<std::string>& values);

/// For std::int64_t, std::uint64_t and double.
template <class T>
[[nodiscard]] Check in_range(T least, T most);

[[nodiscard]] Check between(std::signed_integral auto least, std::signed_integral auto most) {
  return in_range<std::int64_t>(least, most);
}

[[nodiscard]] Check between(std::unsigned_integral auto least, std::unsigned_integral auto most) {
  return in_range<std::uint64_t>(least, most);
}

[[nodiscard]] inline Check between(double least, double most) {
  return in_range(least, most);
}

struct OptionDetails {
  bool required = false;
  std::string value{};                  ///< names the value in --help: "F"
  Check check{};                        ///< for each of its values
  std::vector<std::string> excludes{};  ///< options of the same command, with their dashes
  bool one_word_each = false;           ///< of a list: one word each time that it is given
  std::string default_text{};           ///< in --help, instead of the target's value
};

/// Takes an option's texts.  Returns what is wrong with them, in one line; empty: nothing.
using TakeTexts = std::function<std::string(const std::vector<std::string>&)>;

/// For an option with one value: takes one text.
struct TakeOne {
  TakeTexts take;
};

/// For an option that may be given several times, or with several values joined by commas.
struct TakeMany {
  TakeTexts take;
};

/// Where the value of an option goes: a flag's is a bool.
using Target =
    std::variant<bool*, std::string*, std::vector<std::string>*, int*, double*, std::uint16_t*,
                 std::uint32_t*, std::uint64_t*, std::optional<std::uint32_t>*,
                 std::optional<std::uint64_t>*, TakeOne, TakeMany>;

/// Its error is the message of the usage error.
template <class T>
using Parse = std::expected<T, std::string> (*)(std::string_view);

/// A program, or one of its commands: a handle, valid as long as the program. The targets of its
/// options outlive the parsing.
class Command {
 public:
  /// Adds a command of this one, with --json and --quiet.
  Command add_command(const About& about, CommonFlags& flags);

  /// One of its commands must be given.
  void require_command();

  /// One of its commands may be given.
  void allow_command();

  /// Calls this when the command is given and everything was parsed.
  void callback(std::function<void()> then);

  /// Adds an option. `name` is "--seed", "-o,--out", or without dashes for a value known by its
  /// place.
  template <class T>
  void add_option(const std::string& name, T& target, const std::string& help,
                  const OptionDetails& details = {}) {
    add(name, &target, help, details);
  }

  template <class T>
  void add_option(const std::string& name, T& target, Parse<T> parse, const std::string& help,
                  const OptionDetails& details = {}) {
    const auto take = [&target, parse](const std::vector<std::string>& texts) {
      auto value = parse(texts.front());
      if (!value) return std::move(value.error());
      target = *std::move(value);
      return std::string{};
    };
    add(name, TakeOne{take}, help, details);
  }

  template <class T>
  void add_option(const std::string& name, std::vector<T>& target, Parse<T> parse,
                  const std::string& help, const OptionDetails& details = {}) {
    const auto take = [&target, parse](const std::vector<std::string>& texts) {
      std::vector<T> values;
      for (const std::string& text : texts) {
        auto value = parse(text);
        if (!value) return std::move(value.error());
        values.push_back(*std::move(value));
      }
      target = std::move(values);
      return std::string{};
    };
    add(name, TakeMany{take}, help, details);
  }

  /// `--config F`: a TOML file whose keys are the other options.
  void add_config();

  /// Makes the entries the defaults of the options: a flag or its variable still wins.
  /// Fails: at an unknown key or a value its option refuses, with one line that names file, line
  /// and key.
  [[nodiscard]] std::expected<void, std::string> apply(const std::vector<ConfigEntry>& entries,
                                                       const std::string& path);

  /// Whether the option "--seconds" is on the command line, or in its variable.
  [[nodiscard]] bool is_given(const std::string& option) const;

  /// Whether a flag of this name was added, and is given and not as false.
  [[nodiscard]] bool is_on(const std::string& flag) const;

  [[nodiscard]] std::string help() const;

 protected:
  Command(CLI::App& app, const About& about, CommonFlags& flags);

 private:
  void add(const std::string& name, const Target& target, const std::string& help,
           const OptionDetails& details);

  CLI::App* app_;
};

class Program : public Command {
 public:
  /// Has --json, --quiet and --version. The first thing that a process makes: nothing that is
  /// opened later is taken for stdout (standard_output.h).
  Program(const About& about, CommonFlags& flags);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Nothing to return means: go on. Otherwise the program ends with this: help or version was
  /// printed on stdout (Done, or Failed where that was not possible), or one line about what is
  /// wrong on stderr, and for --json a document on stdout (WrongUsage).
  [[nodiscard]] std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// `line`, an error that names options, with "TICKBOX_PORT (environment)" for "--port" where the
  /// option has its value from there.
  [[nodiscard]] std::string with_sources(std::string line) const;

 private:
  Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags);

  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> words_{};  ///< of the command line
};

/// "TICKBOX_TICK_RATE" for "--tick-rate".
[[nodiscard]] std::string environment_name(std::string_view flag);

}  // namespace tickbox::cli
