#pragma once
// Does to a match what its profile says: begins faults by chance, ends those that last, and sends a
// new player where one was sent away.

#include "core/rng.h"
#include "tests/simulator/client_check.h"
#include "tests/simulator/hostile.h"
#include "tests/simulator/match.h"
#include "tests/simulator/profile.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tickbox::simulator {

class Troubles {
 public:
  /// How often look() is to be called.
  static constexpr Duration kInterval = std::chrono::milliseconds{100};

  /// What is done to clients, `clients` is told.  Borrows all of them.
  Troubles(const Plan& plan, Match& match, Hostile& hostile, ClientCheck& clients);

  void look();

  /// How often each was begun.
  [[nodiscard]] const std::array<std::uint64_t, kFaults>& counts() const { return counts_; }

 private:
  struct Ending {
    Instant at;
    Fault fault;
    std::size_t player;
  };

  void begin(Fault fault);
  void begin_at_client(Fault fault, std::size_t player);
  void begin_at_server(Fault fault);
  void end(const Ending& ending);
  void storm();
  void replace_who_were_sent_away();
  void last(Fault fault, std::size_t player, Duration duration);
  void disturb_all(Instant until);
  [[nodiscard]] Duration up_to(Duration most);
  /// Mostly up to `most`, and long every now and then.
  [[nodiscard]] Duration mostly(Duration most, Duration seldom);

  const Likelihoods& likelihoods_;
  Match& match_;
  Hostile& hostile_;
  ClientCheck& clients_;
  Rng rng_;
  std::vector<Ending> endings_;
  std::array<std::uint64_t, kFaults> counts_{};
};

}  // namespace tickbox::simulator
