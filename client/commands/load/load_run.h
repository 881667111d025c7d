#pragma once
// One run of the load generator: all clients connect, are measured for a time, and leave.

#include "client/client_stats.h"
#include "client/commands/load/crowd.h"
#include "client/commands/load/load_seconds.h"
#include "client/commands/load/server_watch.h"
#include "client/commands/output.h"
#include "core/clock.h"
#include "core/histogram.h"
#include "os/process/process.h"
#include "os/process/signals.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::commands {

// Takes a sample of a load run each second, while its clients play.
//
// The counts of a client are 2 KB, and those of all at once would delay the clients. So a sweep
// reads them a few clients at a time, within half a second after the second began. It reads
// each client at the same place in every sweep, so the seconds of a client are whole ones.

/// The sums of all clients' statistics, and a few of each client, at one moment.
struct SwarmStats {
  /// The counts of one client. The means of a second follow from two of these.
  struct Each {
    Instant read_at;
    client::ValueTotal gaps{};  ///< microseconds
    client::ValueTotal round_trips{};
    std::uint64_t corrected = 0;
    std::uint64_t bytes_down = 0;
    std::uint64_t bytes_up = 0;
    bool is_connected = false;
  };

  client::ClientStats sums{};
  std::vector<Each> each{};  ///< by client
};

/// The moment of a sample: what is known at once.
struct SampleMoment {
  Instant at;
  std::uint64_t cpu_microseconds = 0;
  Histogram lateness{};
  std::vector<Duration> time_late{};  ///< by thread
};

/// One end of the time of a sample.
struct SampleEnd {
  const SampleMoment& moment;
  const SwarmStats& stats;
  const ServerSample* server;  ///< nullptr if it is not known
};

/// Returns what was measured between two moments. `tick_ms`: the tick period, 0 before any client
/// has connected.
[[nodiscard]] LoadMeasured measured_between(const SampleEnd& before, const SampleEnd& after,
                                            double tick_ms);

/// Returns what was measured of each client.
[[nodiscard]] std::vector<ClientSample> clients_between(const SwarmStats& before,
                                                        const SwarmStats& after);

class LoadSampler {
 public:
  /// `watch`: nullptr without --admin. `began`: from which seconds are counted; with --find earlier
  /// than this run. Requires: all outlive the sampler.
  LoadSampler(const Clock& clock, const Crowd& crowd, ServerWatch* watch, Instant began);

  /// Goes on with the sample in progress, or begins one if a second is over. Call it every few
  /// milliseconds. Returns a sample that is complete. `joining`: the measured time has not begun.
  [[nodiscard]] std::optional<LoadSecond> advance(bool joining);

  /// Returns, at the end of a run, the sample in progress, then that of the rest of the time;
  /// nothing if there is no more. Cost: reads all clients at once.
  [[nodiscard]] std::optional<LoadSecond> finish();

  /// The sums of the last complete sweep.
  [[nodiscard]] const client::ClientStats& sums() const { return before_->sums; }

 private:
  void begin(bool joining);
  void read_clients(std::size_t count);
  [[nodiscard]] LoadSecond complete();

  const Clock& clock_;
  const Crowd& crowd_;
  ServerWatch* watch_;
  Instant began_;
  Instant start_;
  Instant next_;  ///< when the next sample begins
  bool in_progress_ = false;
  bool finished_ = false;
  bool was_joining_ = true;  ///< at the moment before
  bool joining_ = true;
  std::size_t read_ = 0;  ///< clients of the sweep in progress
  SampleMoment moment_before_;
  SampleMoment moment_;
  std::unique_ptr<SwarmStats> before_ = std::make_unique<SwarmStats>();
  std::unique_ptr<SwarmStats> reading_ = std::make_unique<SwarmStats>();
  std::optional<ServerSample> server_before_;
  double tick_ms_ = 0;
};

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
