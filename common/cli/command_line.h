#pragma once
// The command line of a program: its commands, their options, and its error messages.
//
// Each option has an environment variable, and --config reads a TOML file. Precedence: flag,
// TICKBOX_<FLAG>, file, default. CLI11 parses. Only sources of this folder include it, because its
// templates cost seconds of compile time.

#include "cli/exit_code.h"

#include <concepts>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
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

/// The values of the flags that every command has.
struct CommonFlags {
  bool json = false;   ///< one JSON document as the last line on stdout
  bool quiet = false;  ///< no progress on stderr
};

/// The text that --help prints about a command.
struct About {
  std::string name{};  ///< empty: the name of the program's file
  std::string description;
  std::string example;
  std::string json = "Print one JSON document as the last line on stdout";
  std::string quiet = "Do not print progress on stderr";
  std::string plays{};  ///< of a program, printed first by --version: "tag 1"; empty: nothing
};

/// A condition on the text of a value.
struct Check {
  std::function<std::string(const std::string&)> fault{};  ///< returns one line, or empty if fine
  std::string kind{};  ///< the values that pass, for --help: "1 to 4096"; empty if help has them
};

/// Returns a check of a range, for std::int64_t, std::uint64_t and double.
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
  std::string value{};                  ///< the name of the value in --help: "F"
  Check check{};                        ///< applied to each of its values
  std::vector<std::string> excludes{};  ///< other options of the same command, with dashes
  bool one_word_each = false;           ///< for a list: the option takes one word each time
  std::string default_text{};           ///< shown in --help instead of the target's value
};

/// A function that parses the texts of an option. Returns the error in one line, or an empty text.
using ParseTexts = std::function<std::string(const std::vector<std::string>&)>;

/// The target of an option with one value; `parse` gets one text.
struct ParseOne {
  ParseTexts parse;
};

/// The target of an option that may be given several times, or with values joined by commas.
struct ParseMany {
  ParseTexts parse;
};

/// The place that receives the value of an option; for a flag it is a bool.
using Target =
    std::variant<bool*, std::string*, std::vector<std::string>*, int*, double*, std::uint16_t*,
                 std::uint32_t*, std::uint64_t*, std::optional<std::uint32_t>*,
                 std::optional<std::uint64_t>*, ParseOne, ParseMany>;

/// A function that parses one value. Its error becomes the message of the usage error.
template <class T>
using Parse = std::expected<T, std::string> (*)(std::string_view);

/// A handle of a program or of one of its commands, valid as long as the program.
/// Requires: the targets of the options outlive the parsing.
class CommandParser {
 public:
  /// Adds a subcommand to this command, with --json and --quiet.
  CommandParser add_command(const About& about, CommonFlags& flags);

  /// Makes a subcommand required.
  void require_command();

  /// Makes a subcommand optional. No argument added so far is required then, or it would receive
  /// the name of the subcommand: the caller checks whether it is given.
  void allow_command();

  /// Sets a function to call after parsing if the command is given.
  void callback(std::function<void()> then);

  /// Adds an option. `name` is "--seed", "-o,--out", or has no dashes for a positional argument.
  template <class T>
  void add_option(const std::string& name, T& target, const std::string& help,
                  const OptionDetails& details = {}) {
    add(name, &target, help, details);
  }

  template <class T>
  void add_option(const std::string& name, T& target, Parse<T> parse, const std::string& help,
                  const OptionDetails& details = {}) {
    add_parsed(name, target, parse, help, details);
  }

  template <class T>
  void add_option(const std::string& name, std::optional<T>& target, Parse<T> parse,
                  const std::string& help, const OptionDetails& details = {}) {
    add_parsed(name, target, parse, help, details);
  }

  template <class T>
  void add_option(const std::string& name, std::vector<T>& target, Parse<T> parse,
                  const std::string& help, const OptionDetails& details = {}) {
    const auto set = [&target, parse](const std::vector<std::string>& texts) {
      std::vector<T> values;
      for (const std::string& text : texts) {
        auto value = parse(text);
        if (!value) return std::move(value.error());
        values.push_back(*std::move(value));
      }
      target = std::move(values);
      return std::string{};
    };
    add(name, ParseMany{set}, help, details);
  }

  /// Refuses an option that earlier versions had. `instead`: what takes its place.
  void add_gone(const std::string& name, const std::string& instead);

  /// Adds `--config F`, a TOML file whose keys are the other options.
  void add_config();

  /// Sets the defaults of the options from the entries. A flag or its variable takes precedence.
  /// Fails: at an unknown key or a value that its option refuses, with one line that names file,
  /// line and key.
  [[nodiscard]] std::expected<void, std::string> apply(const std::vector<ConfigEntry>& entries,
                                                       const std::string& path);

  /// Returns whether an option, as "--seconds", is on the command line or in its variable.
  [[nodiscard]] bool is_given(const std::string& option) const;

  /// Returns whether a flag of this name exists, and is given with a value other than false.
  [[nodiscard]] bool is_on(const std::string& flag) const;

  [[nodiscard]] std::string help() const;

  /// Returns the name of the command or program; empty before parse() if the program has none.
  [[nodiscard]] std::string name() const;

 protected:
  CommandParser(CLI::App& app, const About& about, CommonFlags& flags);

 private:
  template <class T, class Value>
  void add_parsed(const std::string& name, T& target, Parse<Value> parse, const std::string& help,
                  const OptionDetails& details) {
    const auto set = [&target, parse](const std::vector<std::string>& texts) {
      auto value = parse(texts.front());
      if (!value) return std::move(value.error());
      target = *std::move(value);
      return std::string{};
    };
    add(name, ParseOne{set}, help, details);
  }

  void add(const std::string& name, const Target& target, const std::string& help,
           const OptionDetails& details);

  CLI::App* app_;
};

class Program : public CommandParser {
 public:
  /// Adds --json, --quiet and --version. Construct the program before anything is opened, so that
  /// no file takes the number of a closed stdout (os/process/standard_output.h).
  Program(const About& about, CommonFlags& flags);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  /// Adds a text that `help NAME` prints. Requires: no command has this name.
  void add_topic(const std::string& name, std::string text) { topics_[name] = std::move(text); }

  /// Returns nothing if the program continues, otherwise the exit code to end with. After help or
  /// version on stdout it is Done, or Failed if stdout could not be written. After a usage error it
  /// is WrongUsage, with one line on stderr, and for --json a document on stdout.
  [[nodiscard]] std::optional<ExitCode> parse(int argc, const char* const* argv);

  /// Returns the error `line` with "TICKBOX_PORT (environment)" in place of "--port", for each
  /// option whose value comes from its variable.
  [[nodiscard]] std::string with_sources(std::string line) const;

 private:
  Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags);

  std::unique_ptr<CLI::App> app_;
  std::vector<std::string> words_{};  ///< the arguments of the command line
  std::map<std::string, std::string> topics_{};
};

/// Returns the name of the program's file without its folders, or `otherwise` if it has none.
[[nodiscard]] std::string program_name(int argc, const char* const* argv,
                                       const std::string& otherwise);

}  // namespace tickbox::cli
