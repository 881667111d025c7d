#pragma once
// The end of a server's files and streams, within a time limit: a disk that does not answer, or a
// pipe that nobody reads, may hold a call without end.

#include "os/process/steady_clock.h"
#include "server/host/base/threads.h"
#include "server/host/server.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server {

/// How long a server may take to stop once it has drained: 20 s, and 1 s from the second stop
/// signal on. So SIGTERM ends it within --drain-time and 20 s. Kubernetes kills the process after
/// 30 s, unless terminationGracePeriodSeconds is longer.
class StopDeadline {
 public:
  explicit StopDeadline(const Server& server) : server_(server), begun_(server.clock.now()) {}

  /// What ends a wait before the deadline does.
  struct Limits {
    Duration reserve{};               ///< that is left until the deadline
    Instant latest = Instant::max();  ///< of this wait
  };

  /// Waits until `condition()` is true, within the limits. Returns whether it became true.
  template <class Condition>
  bool wait(const Limits& limits, Condition condition) {
    bool is_true = false;
    os::poll_until([&] {
      is_true = condition();
      const Instant now = server_.clock.now();
      return is_true || now >= std::min(end(now) - limits.reserve, limits.latest);
    });
    return is_true;
  }

  [[nodiscard]] Instant begun() const { return begun_; }

  static constexpr Duration kMost = std::chrono::seconds{20};

 private:
  static constexpr Duration kHurried = std::chrono::seconds{1};

  Instant end(Instant now) {
    if (!hurried_ && server_.signals->stops() > 1) hurried_ = now;
    return hurried_ ? std::min(begun_ + kMost, *hurried_ + kHurried) : begun_ + kMost;
  }

  const Server& server_;
  Instant begun_;
  std::optional<Instant> hurried_;  ///< when the second signal was seen
};

/// Closes the recording, the results and the desync files, each on a thread of its own.
class Closing {
 public:
  /// Begins to close all of them.
  explicit Closing(Server& server);

  /// Waits until all are closed. Requires: called once. Fails: with one line, if accepted data is
  /// lost, or may be.
  [[nodiscard]] std::expected<void, std::string> wait(StopDeadline& deadline);

  /// Returns whether a thread still waits for the disk. Nobody joins it: the process ends as it is.
  [[nodiscard]] bool is_stuck() const { return !parts_.empty(); }

 private:
  using Result = std::expected<void, std::string>;

  struct Part {
    std::string_view slow;  ///< the event if it takes long
    std::string what;       ///< what is closed, and what may be lost
    BackgroundCall<Result> closing;
  };

  template <class Close>
  void begin(std::string_view slow, std::string what, Close close) {
    parts_.push_back({.slow = slow, .what = std::move(what), .closing = {}});
    parts_.back().closing.begin("closing", std::move(close));
  }

  bool remove_closed();

  Server& server_;
  std::vector<Part> parts_;  ///< those that are not closed yet
  Result ended_;             ///< the first failure
};

}  // namespace tickbox::server
