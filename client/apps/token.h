#pragma once
// `tickbox token`: makes keys, issues the connect tokens that they seal, and says what is in one.
// What a game's backend does for its players, by hand.

#include "os/command_line.h"

#include <functional>

namespace tickbox::apps {

/// Adds the subcommand with its own three to `program`; sets `run` when one of them is chosen.
/// Requires: both outlive the parsing and the run.
void add_token(os::Command& program, std::function<int()>& run);

}  // namespace tickbox::apps
