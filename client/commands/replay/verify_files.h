#pragma once
// `replay verify` of many recordings: each has a line of JSON as soon as it is verified, and a
// summary follows. Several processes share the work by --part. One that was killed and starts again
// continues by --resume, whose file has the lines so far.

#include "cli/exit_code.h"
#include "client/commands/output.h"
#include "client/commands/part.h"
#include "core/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tickbox::commands {

struct VerifyFilesOptions {
  std::vector<std::string> words;  ///< files, directories and URLs
  std::string admin_token_file;    ///< for the URLs; empty: none
  Part part{};                     ///< by the base names of the recordings
  std::string resume;              ///< a file; empty: none
  std::uint32_t jobs = 1;
  bool twice = false;
  std::function<bool()> stopped{};  ///< Thread: any.
};

/// Verifies the recordings of the part, as many at a time as there are jobs, and prints. A
/// recording on which it was stopped has no line. Memory: that of a recording for each job. Returns
/// the exit code, after the reason on stderr: 0; 1 one cannot be read, or a line not be written; 3
/// one has failed; 5 stopped before the last one, and none has failed.
[[nodiscard]] cli::ExitCode verify_files(const VerifyFilesOptions& options, const Output& output,
                                         const Clock& clock);

}  // namespace tickbox::commands
