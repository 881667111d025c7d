#pragma once
// Finds the entities and fields in which two states of one view differ, in words for a person.

#include "engine/log/world_difference.h"
#include "views/view_state.h"

#include <optional>

namespace tickbox::views {

/// Returns how two views differ; nothing if they do not. The room is no entity: see
/// engine::WorldDifference. Requires: views of the same game.
[[nodiscard]] std::optional<engine::WorldDifference> compare_views(const ViewState& expected,
                                                                   const ViewState& got);

}  // namespace tickbox::views
