#pragma once
// The output of a command: its result on stdout, as text or as one JSON document; errors and notes
// on stderr.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "engine/identity.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// A command of a program, and what it prints.
struct Output {
  std::string name;                             ///< "tickbox replay"
  const cli::CommandParser* program = nullptr;  ///< nullptr: only the command's own flags count
  cli::CommonFlags common{};
  engine::Games games{};    ///< all that the program has; empty for a command that needs none
  std::string_view page{};  ///< that shows recordings of the games; empty: the program has none
  /// Keeps the notes while something is drawn on the terminal; nullptr: they go to stderr at once.
  std::vector<std::string>* held_notes = nullptr;

  /// Whether --json is given, to the command or to the program.
  [[nodiscard]] bool json() const { return common.json || is_on("--json"); }

  [[nodiscard]] bool quiet() const { return common.quiet || is_on("--quiet"); }

  /// Reports a failure before anything was printed. Returns `code`.
  cli::ExitCode failed(cli::ExitCode code, std::string_view why) const;

  /// Reports on stderr why the printed result is wrong or incomplete. Returns `code`.
  cli::ExitCode fell_short(cli::ExitCode code, std::string_view how) const;

  /// Reports that the command was stopped after `ticks` ticks and has no result. For --json it also
  /// prints a document with `ticks` and `interrupted`. Returns Inconclusive, or Failed if stdout
  /// cannot be written.
  [[nodiscard]] cli::ExitCode stopped(std::uint64_t ticks, std::string_view how) const;

  /// Writes to stdout, each line as printable(). Returns `code`, or Failed if stdout cannot be
  /// written.
  [[nodiscard]] cli::ExitCode print(std::string_view text,
                                    cli::ExitCode code = cli::ExitCode::Done) const;

  /// Prints a JSON document as one line of ASCII, with the exit code, and with the error if it is
  /// not 0.
  template <class Json>
  [[nodiscard]] cli::ExitCode print_document(Json document,
                                             cli::ExitCode code = cli::ExitCode::Done,
                                             std::string_view error = {}) const {
    document["exit"] = cli::to_int(code);
    if (code != cli::ExitCode::Done) document["error"] = error;
    return print(document.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n", code);
  }

  /// Writes a note as printable() to stderr, unless --quiet is given.
  void print_note(std::string_view words) const;

 private:
  [[nodiscard]] bool is_on(const char* flag) const {
    return program != nullptr && program->is_on(flag);
  }
};

/// The parent of a new command, and the variable that receives the function of the given command.
struct Subcommand {
  cli::CommandParser& parent;
  std::function<int()>& run;
  std::shared_ptr<Output> output;

  /// Adds a command that calls `body` with its options. Returns both.
  template <class Options>
  std::pair<cli::CommandParser, std::shared_ptr<Options>> add(
      const cli::About& about, cli::ExitCode (*body)(const Options&)) const {
    auto options = std::make_shared<Options>(Options{.output = output});
    cli::CommandParser command = parent.add_command(about, output->common);
    command.callback([options, body, &chosen = run] {
      chosen = [options, body] { return cli::to_int(body(*options)); };
    });
    return {command, std::move(options)};
  }
};

}  // namespace tickbox::commands
