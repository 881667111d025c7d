#pragma once
// Causes the faults of a profile: begins them at random, ends those that last, and replaces refused
// players.

#include "core/rng.h"
#include "tests/simulator/checks/client_check.h"
#include "tests/simulator/hostile.h"
#include "tests/simulator/match.h"
#include "tests/simulator/profile.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::simulator {

class Faults {
 public:
  /// The interval at which look() must be called.
  static constexpr Duration kInterval = std::chrono::milliseconds{100};

  /// Reports disturbances of clients to `clients`. Borrows all of them.
  Faults(const Plan& plan, Match& match, Hostile& hostile, ClientCheck& clients);

  void look();

  /// How often each fault was begun.
  [[nodiscard]] const std::array<std::uint64_t, kFaults>& counts() const { return counts_; }

 private:
  struct Ending {
    Instant at;
    Fault fault{};
    std::size_t player = 0;
  };

  void begin(Fault fault);
  void begin_at_client(Fault fault, std::size_t player);
  void begin_at_server(Fault fault);
  void end(const Ending& ending);
  void storm();
  void slew();
  void replace_who_were_sent_away();
  void last(Fault fault, std::size_t player, Duration duration);
  void disturb_all(Instant until);
  [[nodiscard]] Duration up_to(Duration most);
  /// Returns mostly up to `most`, and now and then up to `seldom`.
  [[nodiscard]] Duration mostly(Duration most, Duration seldom);

  const Plan& plan_;
  const Likelihoods& likelihoods_;
  Match& match_;
  Hostile& hostile_;
  ClientCheck& clients_;
  Rng rng_;
  Rng slew_rng_;  ///< its own, so that the seeds from before this fault have the same matches
  std::vector<Ending> endings_;
  std::array<std::uint64_t, kFaults> counts_{};
};

}  // namespace tickbox::simulator
