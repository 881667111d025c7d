#pragma once
// How far a player sees.

#include "tickbox/units.h"

namespace tickbox::views {

/// Half the extent of a view, in sub-units, if the game does not say: half a 16:10 screen and a
/// margin.
inline constexpr Vec2 kSight{24 * kUnit, 16 * kUnit};

}  // namespace tickbox::views
