#pragma once
// The numbers of ticks, rooms, players and bodies. Each has its own type, so that the compiler
// refuses to mix them.

#include <compare>
#include <cstdint>

namespace tickbox {

/// A moment of simulation, counted in steps since the room opened. At 60 Hz a u32 lasts 2.3 years,
/// longer than any room. Tick 0 is the state before the first step; the step that makes tick t
/// takes the inputs for t.
struct Tick {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(Tick, Tick) = default;

  friend constexpr Tick operator+(Tick tick, std::uint32_t steps) { return {tick.value + steps}; }

  /// Returns the steps from `earlier` to `later`; negative if `later` is before `earlier`.
  friend constexpr std::int64_t operator-(Tick later, Tick earlier) {
    return std::int64_t{later.value} - std::int64_t{earlier.value};
  }
};

/// The number of a room of a server, as in tokens and tickets; never 0. In a token 0 is any room.
struct RoomId {
  std::uint32_t value = 0;

  friend constexpr auto operator<=>(RoomId, RoomId) = default;
};

/// The number of a player's place in a room, from 0 up to the room's seats. Reused after its player
/// has left.
struct PlayerId {
  std::uint16_t value = 0;

  friend constexpr auto operator<=>(PlayerId, PlayerId) = default;
};

/// The id of a body in a world. The rules define the meaning of its bits; the physics sorts by the
/// id.
struct BodyId {
  std::uint64_t value = 0;

  friend constexpr auto operator<=>(BodyId, BodyId) = default;
};

}  // namespace tickbox
