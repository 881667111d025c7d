#pragma once
// Holds the views of clients against the room itself: whatever a client shows for a tick, the room
// had then, to the bit. No hash, and no word of the client, is believed.

#include "core/tick_ring.h"
#include "tests/simulator/findings.h"
#include "tests/simulator/match.h"

#include <cstdint>
#include <vector>

namespace tickbox::simulator {

class ViewCheck {
 public:
  /// Borrows all of them.
  ViewCheck(Findings& findings, const Match& match);

  /// The room has been stepped.
  void on_tick();

  /// A client has had its turn.
  void on_turn(std::size_t player);

  /// Views that were compared.
  [[nodiscard]] std::uint64_t views() const { return views_; }

 private:
  /// Longer than any snapshot is under way, but for those that a client has slept through.
  static constexpr std::size_t kMoments = 512;

  struct Moment {
    std::uint64_t life = 0;
    std::vector<game::EntityState> entities;
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
