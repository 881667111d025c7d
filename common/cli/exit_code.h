#pragma once
// What programs return, and how they say that they failed.

#include <cstdint>
#include <string_view>

namespace tickbox::cli {

/// What a program's exit code tells the shell that started it.
enum class ExitCode : std::uint8_t {
  Done = 0,        ///< and everything asked for held
  Failed = 1,      ///< at run time: port in use, disk full, file missing
  WrongUsage = 2,  ///< a flag or the configuration; nothing was started
  CheckFailed =
      3,  ///< ran, and a hash differs, a threshold is missed, a recording is damaged inside
  NotConnected = 4,  ///< could not connect, or was disconnected
  Inconclusive = 5,  ///< the load generator was saturated, or work was stopped before its end
};

/// For `return` from main.
[[nodiscard]] constexpr int to_int(ExitCode code) {
  return static_cast<int>(code);
}

// How a command tells that it has failed before it had anything to print.

/// Who fails, and whether somebody reads its answer as JSON.
struct Teller {
  std::string_view name;  ///< "tickbox load"
  bool json = false;
};

/// Says why in one line on stderr; and, for who reads JSON, as the document in place of the one
/// that does not come: {"error":"cannot read keys: …","exit":1}.  Returns `code`.
[[nodiscard]] ExitCode tell_failure(const Teller& teller, ExitCode code, std::string_view why);

}  // namespace tickbox::cli
