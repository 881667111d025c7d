#pragma once
// The causes that a match still remembers, in words: what a report of a desync shows beside both
// states.

#include "core/ids.h"
#include "protocol/desync.h"
#include "server/match/match.h"

#include <functional>
#include <vector>

namespace tickbox::server {

/// Returns the causes after tick `since`, up to `until`, that act on entities for which `is_member`
/// returns true, and the changes of the room: those of the last protocol::kTicksRemembered ticks.
/// They are sorted by tick, entity and kind. Allocates memory.
[[nodiscard]] std::vector<protocol::DesyncCause> causes_since(
    const Match& match, Tick since, Tick until, const std::function<bool(BodyId)>& is_member);

}  // namespace tickbox::server
