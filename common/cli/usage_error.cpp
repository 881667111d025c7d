#include "cli/usage_error.h"

#include "core/text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string_view>

namespace tickbox::cli {
namespace {

std::string unknown_option(const CLI::App& app, const std::string& name) {
  const auto has_it = [&](const CLI::App* each) {
    return each->get_option_no_throw(name) != nullptr;
  };
  const auto belongs_to = [&](const CLI::App& owner, const char* place) {
    return name + " is an option of " + owner.get_name() + "; give it " + place + " command";
  };
  if (has_it(&app)) return belongs_to(app, "before the");
  const Apps given = tree_of(app, true);
  if (const auto owner = std::ranges::find_if(given, has_it); owner != given.end()) {
    return belongs_to(**owner, "after that");
  }
  Names known;
  for (const CLI::App* const each : given) {
    std::ranges::move(option_names(*each, "--", false), std::back_inserter(known));
  }
  const auto near = nearest_name(name, known);
  // An option of another command may look like one of this command: -o is no misspelt --to.
  const Apps all = tree_of(app, false);
  const auto owner = std::ranges::find_if(all, has_it);
  if (near && (owner == all.end() || name.starts_with("--"))) {
    return "unknown option " + name + "; did you mean " + std::string{*near} + '?';
  }
  if (owner != all.end()) return belongs_to(**owner, "after that");
  return "unknown option " + name + "; see --help";
}

/// `topics`: names that may stand in place of a command.
std::string unknown_word(const CLI::App& app, const std::string& word, const Names& topics = {}) {
  const std::string name = word.substr(0, word.find('='));
  if (word.starts_with('-') && word.size() > 1) return unknown_option(app, name);
  Names known = command_names(app);
  known.insert(known.end(), topics.begin(), topics.end());
  if (known.empty()) return "unexpected argument " + word + "; see --help";
  const auto near = nearest_name(name, known);
  return "unknown command " + name +
         (near ? "; did you mean " + std::string{*near} + '?'
               : "; there are " + CLI::detail::join(known, ", "));
}

/// Returns the kind of value that CLI11 expected: it converts only numbers and flags.
const char* kind_of(const CLI::App& app, const std::string& name) {
  for (const CLI::App* const each : tree_of(app, true)) {
    const CLI::Option* const option = each->get_option_no_throw(name);
    if (option != nullptr && option->get_items_expected_max() == 0) return "true or false";
  }
  return "a number";
}

/// The word between two options in CLI11's error.
constexpr std::string_view kExcludes = " excludes ";

}  // namespace

Names option_names(const CLI::App& app, const std::string& dashes, bool configurable_only) {
  Names names;
  for (const CLI::Option* const option : app.get_options()) {
    if (configurable_only && !option->get_configurable()) continue;
    for (const std::string& name : option->get_lnames()) {
      names.push_back(dashes + name);
    }
  }
  return names;
}

Apps tree_of(const CLI::App& app, bool given_only) {
  Apps tree{&app};
  const auto is_wanted = [&](const CLI::App* each) { return !given_only || each->parsed(); };
  for (const CLI::App* const command : app.get_subcommands(is_wanted)) {
    const Apps below = tree_of(*command, given_only);
    tree.insert(tree.end(), below.begin(), below.end());
  }
  return tree;
}

Names command_names(const CLI::App& app) {
  Names names;
  for (const CLI::App* const command :
       tree_of(app, true).back()->get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::string unknown_command(const CLI::App& app, const Names& topics) {
  const Names remaining = app.remaining(true);
  if (remaining.empty() || remaining.front().starts_with('-')) return {};
  if (command_names(app).empty()) return {};
  const bool is_of_program = tree_of(app, true).size() == 1;
  return unknown_word(app, remaining.front(), is_of_program ? topics : Names{});
}

std::string message_for(const CLI::App& app, const CLI::ParseError& error) {
  const Names remaining = app.remaining(true);
  if (!remaining.empty()) return unknown_word(app, remaining.front());
  const auto is_of = [&](CLI::ExitCodes code) {
    return error.get_exit_code() == static_cast<int>(code);
  };
  std::string line = error.what();
  if (is_of(CLI::ExitCodes::RequiredError) && line.contains("subcommand")) {
    return "no command given; try " + CLI::detail::join(command_names(app), ", ");
  }
  if (is_of(CLI::ExitCodes::ArgumentMismatch) && line.ends_with(" missing")) {
    return line.substr(0, line.find(':')) + " needs a value; see --help";
  }
  std::ranges::replace(line, '\n', ' ');
  line.erase(line.find_last_not_of(' ') + 1);
  if (is_of(CLI::ExitCodes::ExcludesError)) {
    line.replace(line.find(kExcludes), kExcludes.size(), " cannot be combined with ");
  }
  constexpr std::string_view kConversion = "Could not convert: ";
  if (line.starts_with(kConversion)) {
    // "Could not convert: --tick = ten"
    constexpr std::string_view kIs = " = ";
    const std::size_t is = line.find(kIs);
    const std::string name = line.substr(kConversion.size(), is - kConversion.size());
    return name + ": \"" + line.substr(is + kIs.size()) + "\" is not " + kind_of(app, name) +
           "; see --help";
  }
  return line.contains(';') ? line : line + "; see --help";
}

}  // namespace tickbox::cli
