#pragma once

// Signals as numbers that a loop looks at: the handlers count, and do nothing else.

#include <cstdint>

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

}  // namespace tickbox::os
