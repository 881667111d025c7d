#pragma once
// The exit codes of the programs, and the report of a failure.

#include <cstdint>
#include <string_view>

namespace tickbox::cli {

/// The exit code of a program.
enum class ExitCode : std::uint8_t {
  Done = 0,        ///< the program succeeded, and every check passed
  Failed = 1,      ///< at run time: port in use, disk full, file missing
  WrongUsage = 2,  ///< a flag or the configuration; nothing was started
  /// The program ran, but a hash differs, a threshold is missed, or a recording is damaged inside.
  CheckFailed = 3,
  NotConnected = 4,  ///< could not connect, or was disconnected
  Inconclusive = 5,  ///< the load generator was saturated, or work was stopped before its end
};

/// Converts the code for `return` from main.
[[nodiscard]] constexpr int to_int(ExitCode code) {
  return static_cast<int>(code);
}

// The report of a command that fails before it has a result to print.

/// The command that reports a failure, and whether its output is JSON.
struct Teller {
  std::string_view name;  ///< "tickbox load"
  bool json = false;
  bool silent = false;  ///< the reason is reported elsewhere: stderr gets nothing
};

/// Writes the reason to stderr in one line. For JSON output, it also writes a document to stdout in
/// place of the result: {"error":"cannot read keys: …","exit":1}. Returns `code`.
[[nodiscard]] ExitCode report_failure(const Teller& teller, ExitCode code, std::string_view why);

}  // namespace tickbox::cli
