#pragma once
// The causes of a view in words: what its snapshot says of the way from the base to it.

#include "client/match/snapshot_world.h"
#include "protocol/desync.h"

#include <vector>

namespace tickbox::client {

/// Returns the causes by tick and id. Requires: content that SnapshotWorld has read.
[[nodiscard]] std::vector<protocol::DesyncCause> causes_of(const WrongView& wrong);

}  // namespace tickbox::client
