#pragma once
// The games of a module: either all of Tickbox, or the one of a studio. A module links one of the
// two sources that define this function.

#include "engine/identity.h"

namespace tickbox::viewer {

/// Returns the games whose logs the module views.
[[nodiscard]] engine::Games module_games();

}  // namespace tickbox::viewer
