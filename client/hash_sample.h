#pragma once
// Which of many clients make their views and check the hashes, while the others are light. It picks
// clients, not snapshots: a view needs the views before it. The clients take turns, so all of them
// are checked in time, and in each turn about the same part of each room.

#include "core/clock.h"
#include "core/rng.h"

#include <cstddef>
#include <cstdint>

namespace tickbox::client {

/// The time for which a client checks, before the next one does.
inline constexpr Duration kSampleTurn = std::chrono::seconds{30};

struct HashSample {
  std::uint32_t one_in = 1;  ///< of this number of clients one checks; 0: none does
  std::uint64_t seed = 0;

  /// Returns the number of the turn at a time since the clients began. The first is 0.
  [[nodiscard]] static constexpr std::uint64_t turn_at(Duration time) {
    return static_cast<std::uint64_t>(time / kSampleTurn);
  }

  /// Returns whether a client checks in a turn. Of `one_in` clients from a multiple of it, each
  /// checks in another turn. Which turn is drawn: if it followed from the number alone, all clients
  /// of a room could have the same, as each Nth client is in the same room.
  [[nodiscard]] constexpr bool contains(std::size_t client, std::uint64_t turn) const {
    if (one_in == 0) return false;
    const std::uint64_t drawn = Rng{seed + client / one_in}.below(one_in);
    return (client + drawn) % one_in == turn % one_in;
  }
};

}  // namespace tickbox::client
