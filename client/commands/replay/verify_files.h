#pragma once
// The verification of recordings: of one by several threads, what it has found, and that of many.

#include "cli/exit_code.h"
#include "client/commands/document.h"
#include "client/commands/output.h"
#include "client/commands/part.h"
#include "core/clock.h"
#include "record/format.h"
#include "record/verify.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::commands {

// Verifies a recording with several threads; each thread steps one segment after the other.

/// The largest number of threads; more would only wait for each other.
inline constexpr std::uint32_t kVerifyJobsMax = 256;

/// Returns the number of threads that this machine runs at once, 1 to kVerifyJobsMax.
[[nodiscard]] std::uint32_t processors();

/// Starts one thread less than `jobs`, each of which calls `work`; fewer if the machine gives no
/// more. Requires: the caller joins them.
[[nodiscard]] std::vector<std::thread> start_helpers(std::size_t jobs,
                                                     const std::function<void()>& work);

/// Returns exactly the result of record::verify().
/// Requires: as record::verify(); 1 ≤ jobs ≤ kVerifyJobsMax.
/// Thread: only the calling thread reports progress; it steps segments too.
[[nodiscard]] record::VerifyResult verify_in_parallel(const record::Reader& reader,
                                                      const GameTable& game,
                                                      const engine::SharedMap& map,
                                                      const record::VerifyOptions& options,
                                                      std::uint32_t jobs);

// What the verification of a recording, or of a match that was followed, has found.

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

// `replay verify` of many recordings: each has a line of JSON as soon as it is verified, and a
// summary follows. Several processes share the work by --part. One that was killed and starts again
// continues by --resume, whose file has the lines so far.

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
