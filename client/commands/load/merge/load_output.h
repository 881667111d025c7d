#pragma once
// What `load` and `load merge` share: the requirements of the command line, and how a result is
// printed and written to the files.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "client/commands/load/load_files.h"
#include "client/commands/load/load_verdict.h"
#include "client/commands/load/requirement.h"
#include "client/commands/output.h"

#include <string>
#include <vector>

namespace tickbox::commands {

/// Returns the figures that a requirement may name: all but those that are no numbers.
[[nodiscard]] Figures requirable();

/// Checks a text of --require. Returns the error, or an empty text.
[[nodiscard]] std::string check_requirements(const std::string& text);

/// Returns the requirements of texts that were checked.
[[nodiscard]] std::vector<Requirement> requirements_of(const std::vector<std::string>& texts);

/// Writes the ends of the files. A failure becomes part of the verdict.
void end_files(LoadFiles& files, LoadResult& result);

/// Prints the result. Returns the exit code.
[[nodiscard]] cli::ExitCode print_result(const Output& output, const LoadResult& result);

}  // namespace tickbox::commands
