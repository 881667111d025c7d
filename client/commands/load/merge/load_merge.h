#pragma once
// `load merge`: joins the documents of the parts of a run into the figures of one run, with one
// verdict and one report.

#include "cli/command_line.h"
#include "client/commands/output.h"

#include <functional>
#include <memory>

namespace tickbox::commands {

/// Adds the command to `load`, whose output is given. Returns whether it is the one that is given,
/// which is known after parsing.
[[nodiscard]] std::shared_ptr<const bool> add_load_merge(cli::CommandParser& load,
                                                         const Output& output,
                                                         std::function<int()>& run);

}  // namespace tickbox::commands
