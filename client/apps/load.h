#pragma once
// `tickbox load HOST:PORT`: many clients at once, what they and the server measured, and whether it
// was good enough.

#include "os/command_line.h"

#include <functional>

namespace tickbox::apps {

/// Adds the command to `program`; sets `run` when it is the one chosen.
/// Requires: both outlive the parsing and the run.
void add_load(os::Command& program, std::function<int()>& run);

}  // namespace tickbox::apps
