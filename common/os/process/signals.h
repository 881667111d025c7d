#pragma once

// Signals as counts or as a request to stop, which a loop reads. The handlers do nothing else,
// except where a signal ends the process at once: a second one, or one to process 1 at its start.

#include <array>
#include <cstddef>
#include <cstdint>
#include <signal.h>

namespace tickbox::os {

/// The meaning of SIGHUP. A server reloads its files. A client in a terminal stops, because the
/// terminal was closed; if SIGHUP is ignored, as under nohup, the client ignores it too.
enum class Hangup : std::uint8_t { Reloads, Stops };

/// A counter of SIGINT and SIGTERM together, and of SIGHUP, from 0 for each object. With
/// Hangup::Stops a SIGHUP counts as a SIGTERM. Ignores SIGPIPE (an admin client that disconnects)
/// and SIGXFSZ (a file at its limit): writes report both.
/// Requires: one object at a time. Thread: any may read.
class StopSignals {
 public:
  explicit StopSignals(Hangup hangup = Hangup::Reloads);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] bool stop_requested() const { return stops() > 0; }

  /// The number of stop signals. The second one means: end at once.
  [[nodiscard]] int stops() const;

  /// The number of SIGUSR1, SIGUSR2 and SIGALRM, which mean nothing here. Without a handler they
  /// would end the process.
  [[nodiscard]] int strays() const;

  /// The number of requests to reload.
  [[nodiscard]] int hangups() const;
};

/// Makes SIGINT and SIGTERM end the process, if it is process 1 of a container. There they have no
/// default action, so that without a handler nothing but SIGKILL ends a start that waits, such as
/// for a name server. StopSignals replaces the handlers.
void end_on_stop_signals_as_process_1();

/// A handler for work that can stop between two steps. The first SIGINT, SIGTERM or SIGHUP requests
/// the stop; a second signal of the same kind ends the process at once. Signals that are ignored,
/// as in the background or under nohup, stay ignored. SIGPIPE (the reader closed the pipe) ends the
/// process, as for any filter. SIGXFSZ (a file at its limit) becomes an error of the write.
/// Requires: one object at a time, and no StopSignals beside it. Thread: any may read.
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
