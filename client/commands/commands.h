#pragma once
// The program `tickbox` and its commands. Each function with `run` adds a command to `program`, and
// sets `run` if that command is given. `games`: all that the program has. Requires: they outlive
// the parsing and the run, and the program has a name.

#include "cli/command_line.h"
#include "engine/identity.h"

#include <functional>
#include <string>
#include <string_view>

namespace tickbox::commands {

/// Adds `tickbox connect HOST:PORT`: one client that plays, predicts, verifies and reports.
void add_connect(cli::CommandParser& program, engine::Games games, std::function<int()>& run);

/// Adds `tickbox load HOST:PORT`: many clients at once, their and the server's figures, and the
/// check of requirements.
void add_load(cli::CommandParser& program, engine::Games games, std::function<int()>& run);

/// Adds `tickbox replay COMMAND FILE`: the content of a recording, and its verification.
/// `page`: that of ClientProgram.
void add_replay(cli::CommandParser& program, engine::Games games, std::string_view page,
                std::function<int()>& run);

/// Adds `tickbox sim SCENARIO`: a scenario file stepped without a network.
void add_sim(cli::CommandParser& program, std::function<int()>& run);

/// Adds `tickbox token COMMAND`: makes keys, issues connect tokens sealed with them, and inspects a
/// token. It does by hand what a game's backend does for its players.
void add_token(cli::CommandParser& program, std::function<int()>& run);

/// Adds `tickbox help figures`: the meaning of the figures of `connect` and `load`.
void add_figures_help(cli::Program& program);

struct ClientProgram {
  engine::Games games;
  std::string_view page{};  ///< that shows recordings of the games, as HTML; may be empty
  std::string name = "tickbox";
  std::string plays{};  ///< the first words of --version: "tag 1"
};

/// Runs the whole program. Returns its exit code.
[[nodiscard]] int run_client(int argc, char** argv, const ClientProgram& client);

}  // namespace tickbox::commands
