#pragma once

// Signals as numbers that a loop looks at: the handlers count, and do nothing else.

#include <array>
#include <cstddef>
#include <cstdint>
#include <signal.h>

namespace tickbox::os {

/// What SIGHUP means: to a server that its files are to be read again, to who plays in a terminal
/// that this was closed (where that does not go unheard, as under nohup).
enum class Hangup : std::uint8_t { Reloads, Stops };

/// Counts SIGINT and SIGTERM together, and SIGHUP, while it lives; ignores SIGPIPE (a client of the
/// admin side that leaves) and SIGXFSZ (a file at its limit), which writes report anyway. Counts
/// start at 0 with each object. Requires: one at a time.  Thread: look from any.
class StopSignals {
 public:
  explicit StopSignals(Hangup hangup = Hangup::Reloads);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] bool stop_requested() const { return stops() > 0; }

  /// The second means: end at once.
  [[nodiscard]] int stops() const;

  /// How often a reload was asked for.
  [[nodiscard]] int hangups() const;
};

/// For work that is broken off between two steps: while it lives, SIGINT, SIGTERM and SIGHUP ask
/// for that, once each; the next of the same kind ends the process at once. Those that are ignored,
/// as in the background or under nohup, stay so. A reader that leaves (SIGPIPE) is the end, as for
/// any filter; a file at its limit (SIGXFSZ) is an error of the write.
/// Requires: one at a time, and no StopSignals beside it.  Thread: look from any.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  [[nodiscard]] bool requested() const;

 private:
  static constexpr std::size_t kHandled = 4;

  std::array<struct sigaction, kHandled> before_{};
};

}  // namespace tickbox::os
