#pragma once
// An entity as the pages draw it: 12 numbers of 32 bits, which page/picture.js reads from the
// memory of a module.

#include "tickbox/units.h"

#include <cstdint>

namespace tickbox::viewer {

/// Lengths are in sub-units, velocities in sub-units per tick.
struct Row {
  static constexpr std::int32_t kControlled = 1;  ///< flag: a player controls the entity
  static constexpr std::int32_t kNew = 2;  ///< flag: spawned or teleported since the last picture
  static constexpr std::int32_t kOneWay = 4;
  static constexpr std::int32_t kSensor = 8;
  static constexpr std::int32_t kHasLook = 16;  ///< flag: the game defines look() for the kind
  static constexpr std::int32_t kTeam = 32;     ///< flag: the colour is that of the owner's team

  std::int32_t id_low = 0;
  std::int32_t id_high = 0;
  std::int32_t kind = 0;   ///< its number in the game's list
  std::int32_t owner = 0;  ///< seat; -1: nobody
  Vec2 min;
  Vec2 size;
  Vec2 velocity;
  std::int32_t look = 0;  ///< glyph; from bit 8 on the colour, from bit 16 on the shape
  std::int32_t flags = 0;
};

static_assert(sizeof(Row) == 12 * sizeof(std::int32_t));

}  // namespace tickbox::viewer
