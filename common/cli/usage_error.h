#pragma once
// The messages about a command line that CLI11 could not parse, and the names in it.

#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
class ParseError;
}  // namespace CLI

namespace tickbox::cli {

using Names = std::vector<std::string>;
using Apps = std::vector<const CLI::App*>;

/// Returns the long names of an app's options, each with `dashes` in front.
[[nodiscard]] Names option_names(const CLI::App& app, const std::string& dashes,
                                 bool configurable_only);

/// Returns `app`, then the commands below it: only the given ones, or all.
[[nodiscard]] Apps tree_of(const CLI::App& app, bool given_only);

/// Returns the names of the subcommands of the command that is given.
[[nodiscard]] Names command_names(const CLI::App& app);

/// Returns the error for help about a command or topic that does not exist; empty if no such name
/// is given. `topics`: the topics of the program.
[[nodiscard]] std::string unknown_command(const CLI::App& app, const Names& topics);

/// Returns the one-line message for an error of CLI11.
[[nodiscard]] std::string message_for(const CLI::App& app, const CLI::ParseError& error);

}  // namespace tickbox::cli
