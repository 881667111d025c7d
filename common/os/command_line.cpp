// CLI11 parses; the words of its errors, and the variables beside the command line, are ours.

#include "os/command_line.h"

#include "core/nearest_name.h"
#include "os/failure.h"
#include "os/standard_output.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::os {
namespace {

/// Gives every option of `app` its variable, and those of a subcommand theirs once it is met: a
/// variable meant for one command is not looked at by another.
void bind_environment(CLI::App& app) {
  for (CLI::Option* const option : app.get_options()) {
    const bool about_the_call = option == app.get_help_ptr() || option == app.get_version_ptr();
    if (!about_the_call && !option->get_lnames().empty() && option->get_envname().empty()) {
      option->envname(environment_name("--" + option->get_lnames().front()));
    }
  }
  for (CLI::App* const command : app.get_subcommands([](CLI::App*) { return true; })) {
    command->preparse_callback([command](std::size_t) { bind_environment(*command); });
  }
}

/// What could have stood where an unknown word stands, in the program and the commands given so
/// far.
std::vector<std::string> known_names(const CLI::App& app, bool flags) {
  std::vector<std::string> names;
  if (flags) {
    for (const CLI::Option* const option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) {
        names.push_back("--" + name);
      }
    }
  } else {
    for (const CLI::App* const command :
         app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
  }
  for (const CLI::App* const command : app.get_subcommands()) {
    const auto more = known_names(*command, flags);
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

/// Of the commands given, the one that has an option; nullptr: none.
const CLI::App* owner_given(const CLI::App& app, const std::string& option) {
  for (const CLI::App* const command : app.get_subcommands()) {
    if (command->get_option_no_throw(option) != nullptr) return command;
    if (const CLI::App* const owner = owner_given(*command, option)) return owner;
  }
  return nullptr;
}

/// Of all commands below `app`, the one that has an option; nullptr: none.
const CLI::App* owner_below(const CLI::App& app, const std::string& option) {
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_option_no_throw(option) != nullptr) return command;
    if (const CLI::App* const owner = owner_below(*command, option)) return owner;
  }
  return nullptr;
}

const CLI::App& asked_command(const CLI::App& app) {
  return app.get_subcommands().empty() ? app : asked_command(*app.get_subcommands().front());
}

std::string unknown_option(const CLI::App& app, const std::string& name) {
  if (app.get_option_no_throw(name) != nullptr) {
    return name + " is an option of " + app.get_name() + "; give it before the command";
  }
  const auto belongs_to = [&](const CLI::App& owner) {
    return name + " is an option of " + owner.get_name() + "; give it behind that command";
  };
  if (const CLI::App* const owner = owner_given(app, name)) return belongs_to(*owner);
  const std::vector<std::string> known = known_names(app, true);
  const auto near = nearest_name(name, known);
  // What is another command's own may look like one of this: -o is no misspelt --to.
  const CLI::App* const owner = owner_below(app, name);
  if (near && (owner == nullptr || name.starts_with("--"))) {
    return "unknown option " + name + "; did you mean " + std::string{*near} + '?';
  }
  if (owner != nullptr) return belongs_to(*owner);
  return "unknown option " + name + "; see --help";
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  if (word.starts_with('-') && word.size() > 1) return unknown_option(app, name);
  const std::vector<std::string> known = known_names(asked_command(app), false);
  if (known.empty()) return "unexpected argument " + word + "; see --help";
  const auto near = nearest_name(name, known);
  return "unknown command " + name +
         (near ? "; did you mean " + std::string{*near} + '?' : "; there are " + list_of(known));
}

std::string command_wanted(const CLI::App& app) {
  return "no command given; try " + list_of(known_names(asked_command(app), false));
}

/// A command that does not exist, where one was to be given; empty: there is none.
std::string unknown_command(const CLI::App& app) {
  const std::vector<std::string> remaining = app.remaining(true);
  const bool has_commands = !known_names(asked_command(app), false).empty();
  if (!has_commands || remaining.empty() || remaining.front().starts_with('-')) return {};
  return unknown_word(app, remaining.front());
}

/// Whether a document is asked for by words, or a variable, that could not be parsed.
bool asks_for_json(int argc, const char* const* argv) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here changes the environment
  const char* const variable = std::getenv(environment_name("--json").c_str());
  if (variable != nullptr && std::string_view{variable} != "0" &&
      std::string_view{variable} != "false") {
    return true;
  }
  return std::ranges::any_of(std::span{argv, static_cast<std::size_t>(argc)},
                             [](std::string_view word) { return word == "--json"; });
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) {
    text.pop_back();
  }
  return text;
}

/// The one line for what CLI11 found wrong.
std::string message_for(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> remaining = app.remaining(true);
  if (!remaining.empty()) return unknown_word(app, remaining.front());
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError) &&
      std::string_view{error.what()}.find("subcommand") != std::string_view::npos) {
    return command_wanted(app);
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
      std::string_view{error.what()}.ends_with(" missing")) {
    const std::string_view line = error.what();
    return std::string{line.substr(0, line.find(':'))} + " needs a value; see --help";
  }
  constexpr std::string_view kConversion = "Could not convert: ";
  std::string line = one_line(error.what());
  if (line.starts_with(kConversion)) {
    return "cannot read " + line.substr(kConversion.size()) + " as a value of its kind; see --help";
  }
  return line.contains(';') ? line : line + "; see --help";
}

std::string file_name(const char* path) {
  const std::string_view whole = path == nullptr ? "tickbox" : path;
  return std::string{whole.substr(whole.find_last_of('/') + 1)};
}

/// A script's variable that is not set would be taken for an option that was not given.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::Option* const option : app.get_options()) {
    if (std::ranges::any_of(option->results(), &std::string::empty)) {
      throw CLI::ValidationError{option->get_name(), "is given, and empty"};
    }
  }
  for (const CLI::App* const command : app.get_subcommands()) {
    refuse_empty_values(*command);
  }
}

/// Ends with what was asked for.
ExitCode answer(const CLI::App& app, std::string_view text) {
  const auto written = write_to_stdout(text);
  if (written) return ExitCode::Done;
  write_to_stderr(app.get_name() + ": " + written.error() + "\n");
  return ExitCode::Failed;
}

}  // namespace

Program::Program(const About& about, CommonFlags& flags)
    : Program{std::make_unique<CLI::App>(), about, flags} {}

Program::Program(std::unique_ptr<CLI::App> app, const About& about, CommonFlags& flags)
    : Command{*app, about, flags}, app_{std::move(app)} {
  hold_closed_streams();
}

Program::~Program() = default;

std::optional<ExitCode> Program::parse(int argc, const char* const* argv) {
  CLI::App& app = *app_;
  bind_environment(app);
  if (app.get_name().empty()) app.name(file_name(argv[0]));
  const auto wrong = [&](const std::string& why) {
    const std::string& name = app.get_name();
    return tell_failure({.name = name, .json = asks_for_json(argc, argv)}, ExitCode::WrongUsage,
                        why);
  };
  try {
    app.parse(argc, argv);
    refuse_empty_values(app);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    if (const std::string unknown = unknown_command(app); !unknown.empty()) return wrong(unknown);
    return answer(app, app.help());
  } catch (const CLI::CallForVersion& version) {
    return answer(app, std::string{version.what()} + "\n");
  } catch (const CLI::ParseError& error) {
    return wrong(message_for(app, error));
  }
}

std::string environment_name(std::string_view flag) {
  flag.remove_prefix(std::min(flag.find_first_not_of('-'), flag.size()));
  std::string name = "TICKBOX_";
  for (const char c : flag) {
    const bool small = c >= 'a' && c <= 'z';
    name += c == '-' ? '_' : small ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return name;
}

}  // namespace tickbox::os
