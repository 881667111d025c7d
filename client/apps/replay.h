#pragma once
// `tickbox replay info|verify FILE`: what a recording holds, and whether it happened as it says.

#include "os/command_line.h"

#include <functional>

namespace tickbox::apps {

/// Adds the command `replay` to `program`. When one of its subcommands is given, parsing
/// sets `run` to what then does it and returns the exit code.
/// Requires: `run` lives until parsing is over.
void add_replay(os::Command& program, std::function<int()>& run);

}  // namespace tickbox::apps
