#pragma once
// The commands of `tickbox`. Each function with `run` adds a command to `program`, and sets `run`
// if that command is given. Requires: both outlive the parsing and the run.

#include "cli/command_line.h"

#include <functional>

namespace tickbox::commands {

/// Adds `tickbox connect HOST:PORT`: one client that plays, predicts, verifies and reports.
void add_connect(cli::Command& program, std::function<int()>& run);

/// Adds `tickbox load HOST:PORT`: many clients at once, their and the server's figures, and the
/// check of requirements.
void add_load(cli::Command& program, std::function<int()>& run);

/// Adds `tickbox replay COMMAND FILE`: the content of a recording, and its verification.
void add_replay(cli::Command& program, std::function<int()>& run);

/// Adds `tickbox sim SCENARIO`: a scenario file stepped without a network (sim.h).
void add_sim(cli::Command& program, std::function<int()>& run);

/// Adds `tickbox token COMMAND`: makes keys, issues connect tokens sealed with them, and inspects a
/// token. It does by hand what a game's backend does for its players.
void add_token(cli::Command& program, std::function<int()>& run);

/// Adds `tickbox help figures`: the meaning of the figures of `connect` and `load`.
void add_figures_help(cli::Program& program);

}  // namespace tickbox::commands
