#pragma once
// The command line of a program: its commands, their options, and its error messages.
//
// Each option has an environment variable, and --config reads a TOML file. Precedence: flag,
// TICKBOX_<FLAG>, file, default. CLI11 parses. Only sources of this folder include it, because its
// templates cost seconds of compile time.

#include "cli/exit_code.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}  // namespace CLI

namespace tickbox::cli {

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

/// A target that parses the texts of an option. `parse` returns the error in one line, or an empty
/// text.
struct ParsedTexts {
  std::function<std::string(const std::vector<std::string>&)> parse;
  bool many = false;  ///< the option may be given several times, or with values joined by commas
};

/// The place that receives the value of an option; for a flag it is a bool.
using Target =
    std::variant<bool*, std::string*, std::vector<std::string>*, int*, double*, std::uint16_t*,
                 std::uint32_t*, std::uint64_t*, std::optional<std::uint32_t>*,
                 std::optional<std::uint64_t>*, ParsedTexts>;

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

  /// Adds an option whose value is parsed; a vector receives several.
  template <class T, class Value>
  void add_option(const std::string& name, T& target, Parse<Value> parse, const std::string& help,
                  const OptionDetails& details = {}) {
    constexpr bool kMany = std::same_as<T, std::vector<Value>>;
    const auto set = [&target, parse](const std::vector<std::string>& texts) {
      std::vector<Value> values;
      for (const std::string& text : texts) {
        auto value = parse(text);
        if (!value) return std::move(value.error());
        values.push_back(*std::move(value));
      }
      if constexpr (kMany) {
        target = std::move(values);
      } else {
        target = std::move(values.front());
      }
      return std::string{};
    };
    add(name, ParsedTexts{.parse = set, .many = kMany}, help, details);
  }

  /// Begins a group of --help: the options that are added from now on are listed under this title.
  void begin_group(const std::string& title);

  /// Refuses an option that earlier versions had. `instead`: what takes its place.
  void add_gone(const std::string& name, const std::string& instead);

  /// Adds `--config F`, a TOML file whose keys are the other options.
  void add_config();

  /// Sets the defaults of the options from the text of a TOML file. `path` is for messages.
  /// Fails: with one line that names file and line, if the text is not TOML, has a key of no
  /// option, or a value that its option refuses.
  [[nodiscard]] std::expected<void, std::string> apply_config(std::string_view text,
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

  /// Returns the error `line` with a note for each option in it that has its variable set.
  [[nodiscard]] std::string with_sources(std::string line) const;

 private:
  Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags);

  std::unique_ptr<CLI::App> app_;
  std::map<std::string, std::string> topics_{};
};

/// The width of --help, in columns.
inline constexpr std::size_t kHelpWidth = 80;

/// The largest configuration file that is read.
inline constexpr std::size_t kConfigBytesMax = std::size_t{32} * 1024;

/// Returns `head` and then the words of `text`, in lines of at most kHelpWidth columns with a line
/// end after each. Lines after the first begin with `indent` blanks. A longer word has a line of
/// its own.
[[nodiscard]] std::string wrapped(std::string head, std::string_view text, std::size_t indent = 0);

/// Returns the name of the program's file without its folders, or `otherwise` if it has none.
[[nodiscard]] std::string program_name(int argc, const char* const* argv,
                                       const std::string& otherwise);

}  // namespace tickbox::cli
