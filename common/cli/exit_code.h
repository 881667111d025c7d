#pragma once
// What a program's exit code tells the shell that started it.

#include <cstdint>

namespace tickbox::cli {

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

}  // namespace tickbox::cli
