#pragma once
// The commands of `tickbox`. Each function adds one to `program`, and sets `run` when it is the one
// chosen.  Requires: both outlive the parsing and the run.

#include "cli/command_line.h"

#include <functional>

namespace tickbox::commands {

/// `tickbox connect HOST:PORT`: one client that plays, predicts and verifies, and tells how it
/// went.
void add_connect(cli::Command& program, std::function<int()>& run);

/// `tickbox load HOST:PORT`: many clients at once, what they and the server measured, and whether
/// it was good enough.
void add_load(cli::Command& program, std::function<int()>& run);

/// `tickbox replay COMMAND FILE`: what a recording holds, and whether it happened as it says.
void add_replay(cli::Command& program, std::function<int()>& run);

/// `tickbox sim SCENARIO`: a scenario file stepped without a network (sim.h).
void add_sim(cli::Command& program, std::function<int()>& run);

/// `tickbox token COMMAND`: makes keys, issues the connect tokens that they seal, and says what is
/// in one: what a game's backend does for its players, by hand.
void add_token(cli::Command& program, std::function<int()>& run);

}  // namespace tickbox::commands
