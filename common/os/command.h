#pragma once
// What a program takes on its command line: commands, their flags and options, what each may be.
//
// Handles, as small as a pointer: copied freely, good as long as the program is (command_line.h).
// CLI11 is behind them and is included by no header.

#include <concepts>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class Option;
}  // namespace CLI

namespace tickbox::os {

/// The flags that every command has.
struct CommonFlags {
  bool json = false;   ///< one JSON document as the last line on stdout
  bool quiet = false;  ///< no progress on stderr
};

/// What is said of a command.
struct About {
  std::string name{};  ///< empty: that of the program's file
  std::string description;
  std::string example;  ///< for the end of --help
};

/// What the text of a value must hold to.
struct Check {
  std::function<std::string(const std::string&)> fault;  ///< one line; empty where there is none
  std::string kind;                                      ///< for --help: "ADDRESS"
};

/// What an option reads by itself; anything else takes a function that parses it.
template <class T>
concept Readable =
    std::same_as<T, std::string> || std::same_as<T, std::vector<std::string>> ||
    std::same_as<T, int> || std::same_as<T, double> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, std::optional<std::uint32_t>> || std::same_as<T, std::optional<std::uint64_t>>;

/// An option, a flag, or a value known by its place.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_{&option} {}

  Option& required();

  Option& between(std::signed_integral auto least, std::signed_integral auto most) {
    return between_whole(std::int64_t{least}, std::int64_t{most});
  }

  Option& between(std::unsigned_integral auto least, std::unsigned_integral auto most) {
    return between_whole(std::uint64_t{least}, std::uint64_t{most});
  }

  Option& between(double least, double most);

  Option& one_of(const std::vector<std::string>& values);

  Option& check(const Check& check);

  /// Not to be given together with `other`.
  Option& excludes(const Option& other);

  /// Of an option for a list: takes one word, and may be given again.
  Option& one_word_each();

  /// What stands for the value in --help: "F".
  Option& called(const std::string& kind);

  /// What --help calls the default, instead of the target's value.
  Option& default_text(const std::string& text);

  Option& describe(const std::string& help);

  /// On the command line, or by its variable.
  [[nodiscard]] bool given() const;

 private:
  Option& between_whole(std::int64_t least, std::int64_t most);
  Option& between_whole(std::uint64_t least, std::uint64_t most);

  CLI::Option* option_;
};

/// How many values an option has.
enum class Takes : std::uint8_t { Nothing, OneValue, Values };

/// A program, or one of its commands. What is parsed is written to the targets that its options
/// were added with, which outlive it.
class Command {
 public:
  /// Adds a command of this one, with --json and --quiet.
  Command add_command(const About& about, CommonFlags& flags);

  /// One of its commands must be given.
  void require_command();

  /// One of its commands may be given.
  void allow_command();

  /// Calls this when it is given and all of it was parsed.
  void callback(std::function<void()> then);

  // A name is "--seed", "-o,--out", or without dashes for a value known by its place.

  Option add_flag(const std::string& name, bool& target, const std::string& help);

  template <Readable T>
  Option add_option(const std::string& name, T& target, const std::string& help);

  /// An option whose text goes through `parse`, whose error is the message of the usage error.
  template <class T>
  Option add_value(const std::string& name, T& target,
                   std::expected<T, std::string> (*parse)(std::string_view),
                   const std::string& help) {
    return add_text(
        name,
        [&target, parse](const std::string& text) -> std::expected<void, std::string> {
          auto value = parse(text);
          if (!value) return std::unexpected{std::move(value.error())};
          target = *std::move(value);
          return {};
        },
        help);
  }

  /// The same for an option that may be given several times, or with several values joined by
  /// commas as variables and files have them.
  template <class T>
  Option add_values(const std::string& name, std::vector<T>& target,
                    std::expected<T, std::string> (*parse)(std::string_view),
                    const std::string& help) {
    return add_texts(
        name,
        [&target,
         parse](const std::vector<std::string>& texts) -> std::expected<void, std::string> {
          std::vector<T> values;
          for (const std::string& text : texts) {
            auto value = parse(text);
            if (!value) return std::unexpected{std::move(value.error())};
            values.push_back(*std::move(value));
          }
          target = std::move(values);
          return {};
        },
        help);
  }

  /// `--config F`: a TOML file whose keys are the other options.
  Option add_config();

  /// The one of this name, "--quiet".  Requires: it was added.
  [[nodiscard]] Option option(const std::string& name) const;

  /// Whether this command is one of those given.
  [[nodiscard]] bool given() const;

  /// Whether a flag of this name was added, and is given and not as false.
  [[nodiscard]] bool is_on(const std::string& flag) const;

  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string help() const;

  /// Its own commands, as they were added.
  [[nodiscard]] std::vector<Command> commands() const;

  /// All that its options and flags are called, with their dashes.
  [[nodiscard]] std::vector<std::string> option_names() const;

  /// The options that a file may set: their long names, without the dashes.
  [[nodiscard]] std::vector<std::string> keys() const;

  /// Requires: `key` is one of keys().
  [[nodiscard]] Takes takes(const std::string& key) const;

  /// Gives an option a value that the command line and its variable win over.  Requires: `key` is
  /// one of keys().  Fails: where the option refuses it.
  [[nodiscard]] std::expected<void, std::string> set_default(const std::string& key,
                                                             const std::string& value);

 protected:
  Command(CLI::App& app, const About& about, CommonFlags& flags);

 private:
  explicit Command(CLI::App& app) : app_{&app} {}

  Option add_text(const std::string& name,
                  const std::function<std::expected<void, std::string>(const std::string&)>& take,
                  const std::string& help);
  Option add_texts(
      const std::string& name,
      const std::function<std::expected<void, std::string>(const std::vector<std::string>&)>& take,
      const std::string& help);

  CLI::App* app_;
};

}  // namespace tickbox::os
