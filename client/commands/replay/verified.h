#pragma once
// What the verification of a recording, or of a match that was followed, has found.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "record/format.h"
#include "record/verify.h"

#include <optional>
#include <string>

namespace tickbox::commands {

struct Verified {
  std::string subject{};  ///< the file, or the address of the log
  record::VerifyResult result{};
  std::optional<record::Header> header{};  ///< empty: none could be read
  double seconds = 0;
  cli::ExitCode code = cli::ExitCode::Done;
  std::string error{};  ///< what is wrong or missing, unless `code` is Done
};

/// Returns the exit code. A recording without a tick is a failure: it proves nothing, and its
/// server may have recorded nothing.
[[nodiscard]] cli::ExitCode exit_code_of(const record::VerifyResult& result);

/// Returns what is wrong with a recording; empty if nothing is, as far as it was stepped.
[[nodiscard]] std::string fault_of(const std::string& subject, const record::VerifyResult& result);

/// Returns the document, with its exit code and error.
[[nodiscard]] Figures document_of(const Verified& verified);

}  // namespace tickbox::commands
