#pragma once
// Compares the views of clients with the room itself: what a client shows for a tick, the room had
// then, to the bit. No hash and no statement of the client is trusted.

#include "core/tick_ring.h"
#include "tests/simulator/checks/findings.h"
#include "tests/simulator/match.h"
#include "views/rows.h"

#include <cstdint>
#include <vector>

namespace tickbox::simulator {

class ViewCheck {
 public:
  /// Borrows all of them.
  ViewCheck(Findings& findings, const Match& match);

  /// Call it after each step of the room.
  void on_tick();

  /// Call it after each turn of a client.
  void on_turn(std::size_t player);

  /// The number of compared views.
  [[nodiscard]] std::uint64_t views() const { return views_; }

 private:
  /// In ticks. Longer than any snapshot is in flight, unless its client's process sleeps meanwhile.
  static constexpr std::size_t kMoments = 512;

  struct Moment {
    std::uint64_t life = 0;
    views::Rows rows;
  };

  struct Seen {
    const client::Client* process = nullptr;
    std::uint32_t session = 0;
    std::uint64_t life = 0;  ///< of the server, when the session began
    Tick tick;
  };

  void compare(std::size_t player, Tick tick, const Moment& moment);

  Findings& findings_;
  const Match& match_;
  TickRing<Moment, kMoments> moments_;
  std::vector<Seen> seen_;
  std::uint64_t views_ = 0;
};

}  // namespace tickbox::simulator
