#pragma once
// The numbers by which ticks, players and bodies are called, each a type of its own so that none
// passes for another.

#include <compare>
#include <cstdint>

namespace tickbox {

/// A moment of simulation, counted in steps since the room opened. At 60 Hz a u32 lasts 2.2 years,
/// longer than any room. Tick 0 is the state before the first step; the step that makes tick t
/// takes the inputs for t.
struct Tick {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(Tick, Tick) = default;

  friend constexpr Tick operator+(Tick tick, std::uint32_t steps) { return {tick.value + steps}; }

  /// Steps from `earlier` to `later`, negative when they are the other way round.
  friend constexpr std::int64_t operator-(Tick later, Tick earlier) {
    return std::int64_t{later.value} - std::int64_t{earlier.value};
  }
};

/// A player's place in a room, from 0 up to the room's seats. Given again after its player has
/// left.
struct PlayerId {
  std::uint16_t value = 0;

  friend constexpr auto operator<=>(PlayerId, PlayerId) = default;
};

/// A body of a world. What its bits mean is the rules' business; the physics only orders by it.
struct BodyId {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(BodyId, BodyId) = default;
};

}  // namespace tickbox
