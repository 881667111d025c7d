#pragma once
// One run of the load generator: everyone comes, everyone is watched for a while, everyone leaves.

#include "client/commands/load/load_report.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/load/swarm.h"
#include "client/commands/progress.h"
#include "os/process/process.h"
#include "os/process/signals.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// Between when everybody is in and the first tick that is played of an input file: more than any
/// client is ahead of what it has seen.
inline constexpr std::uint32_t kPlaybackAheadSeconds = 1;

struct LoadTimes {
  Duration ramp{};      ///< the connects are spread over this
  Duration measured{};  ///< from when the last client is in, or has failed
};

/// Adds up the statistics of all clients, some at a time: each is 50 KB, and clients must not wait
/// for all of them at once.
class StatsSweep {
 public:
  explicit StatsSweep(const Swarm& swarm) : swarm_(swarm) {}

  /// Adds the next few.
  void advance();

  /// The sums of the last sweep that was completed.
  [[nodiscard]] const client::ClientStats& sums() const { return *sums_; }

 private:
  const Swarm& swarm_;
  std::size_t next_ = 0;
  std::unique_ptr<client::ClientStats> adding_ = std::make_unique<client::ClientStats>();
  std::unique_ptr<client::ClientStats> sums_ = std::make_unique<client::ClientStats>();
};

class LoadRun {
 public:
  /// What a run works with; all outlive it. No watch without --admin, no playback without --inputs.
  struct Parts {
    const Clock& clock;
    const os::StopSignals& signals;
    Swarm& swarm;
    ServerWatch* watch;
    Playback* playback = nullptr;  ///< of the swarm
  };

  LoadRun(const Parts& parts, const LoadTimes& times, ProgressFor audience);

  /// Runs to its end, or until a signal.
  [[nodiscard]] LoadReport run();

  /// Why clients are not playing, in words; empty while all are.  After run().
  [[nodiscard]] const std::string& reason() const { return reason_; }

  /// The server's reason where that client was refused.
  [[nodiscard]] std::optional<net::RefuseReason> refused() const { return refused_; }

  /// What the server plays and the inputs were not recorded by, in words: then nothing was played.
  /// Empty where they fit.  After run().
  [[nodiscard]] const std::string& misfit() const { return misfit_; }

 private:
  /// What had been counted at a moment.
  struct Mark {
    Instant at;
    std::vector<std::uint64_t> snapshots;  ///< by client
    std::uint64_t snapshots_sum = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t bytes_up = 0;
    Tick newest;  ///< tick that any client has seen
    std::uint64_t cpu_microseconds = 0;
  };

  [[nodiscard]] bool stopped() const { return parts_.signals.stop_requested(); }

  void come();
  [[nodiscard]] std::string find_misfit() const;
  void begin_playback();
  void play();
  [[nodiscard]] std::optional<ServerSample> ask_server();
  void turn(Instant until);
  [[nodiscard]] Mark mark() const;
  [[nodiscard]] std::string status();
  void add_server(LiveFigures& live);
  [[nodiscard]] LoadReport report(const Mark& begin, const Mark& end) const;

  Parts parts_;
  LoadTimes times_;
  Progress progress_;
  StatsSweep sweep_;
  Mark last_line_;
  std::optional<ServerSample> last_sample_;
  Instant looked_;
  std::string reason_;
  std::optional<net::RefuseReason> refused_;
  std::string misfit_;
};

}  // namespace tickbox::commands
