#pragma once
// One run of the load generator: all clients connect, are measured for a time, and leave.

#include "client/commands/load/crowd.h"
#include "client/commands/load/load_sampler.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/progress.h"
#include "os/process/process.h"
#include "os/process/signals.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

/// Time from the newest view of any client, when the measured time begins, to the first played tick
/// of an input file. With a round trip under half a second, a client runs ahead of its view by less
/// than this.
inline constexpr std::uint32_t kPlaybackAheadSeconds = 1;

struct LoadTimes {
  Duration ramp{};      ///< the time over which the connects are spread
  Duration measured{};  ///< begins when the last client is connected or has failed
  /// The clients are a part of those that the ramp is for. The measured time begins after all of
  /// it: others may join until then.
  bool is_part = false;
};

class LoadRun {
 public:
  /// The parts that a run uses. `watch` is nullptr without --admin, `playback` without --inputs.
  /// Requires: all parts outlive the run.
  struct Parts {
    const Clock& clock;
    const os::StopSignals& signals;
    Crowd& crowd;
    ServerWatch* watch;
    Playback* playback = nullptr;  ///< the one of the crowd
    Instant began{};               ///< from which its seconds are counted
    /// Receives each second. May be empty.
    std::function<void(LoadSecond&&)> on_second{};
  };

  LoadRun(const Parts& parts, const LoadTimes& times, ProgressFor audience);

  /// Runs until the end of the time, or until a signal.
  [[nodiscard]] LoadMeasured run();

  /// The difference in game or tick rate between the server and the inputs, in words; then no input
  /// of the file was played. Empty if they match. Valid after run().
  [[nodiscard]] const std::string& misfit() const { return misfit_; }

 private:
  /// The counts at one moment.
  struct Mark {
    Instant at;
    std::vector<std::uint64_t> snapshots;  ///< by client
    std::uint64_t bytes_down = 0;
    std::uint64_t bytes_up = 0;
    Tick newest;  ///< the newest tick that any client has seen
    std::uint64_t cpu_microseconds = 0;
  };

  [[nodiscard]] bool stopped() const { return parts_.signals.stop_requested(); }

  void wait_for_connects();
  [[nodiscard]] bool anybody_joins() const;
  [[nodiscard]] std::string find_misfit() const;
  void begin_playback();
  void play();
  [[nodiscard]] std::optional<ServerSample> ask_server();
  void turn(Instant until);
  void hand_over(std::optional<LoadSecond>&& second);
  [[nodiscard]] Mark mark() const;
  [[nodiscard]] std::string status() const;
  [[nodiscard]] LoadMeasured measured(const Mark& begin, const Mark& end) const;

  Parts parts_;
  LoadTimes times_;
  Progress progress_;
  LoadSampler sampler_;
  LoadSecond last_second_{};
  std::optional<Instant> began_;  ///< of the measured time
  std::string misfit_;
};

}  // namespace tickbox::commands
