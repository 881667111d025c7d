#pragma once
// `tickbox connect HOST:PORT`: one client that plays, predicts and verifies, and tells how it went.

#include "os/command_line.h"

#include <functional>

namespace tickbox::apps {

/// Adds the command to `program`; sets `run` when it is the one chosen.
/// Requires: both outlive the parsing and the run.
void add_connect(os::Command& program, std::function<int()>& run);

}  // namespace tickbox::apps
