#pragma once
// What really happened in a match: its recording, stepped again in a room.

#include "core/bytes.h"
#include "record/recorded.h"
#include "server/room/room.h"
#include "tests/support/harness.h"

#include <functional>

namespace tickbox::tests {

/// Calls `on_tick` for every tick that the recording of `harness`, which has stopped, holds: before
/// it is stepped with `before` true, and after with false.
void step_again(const Harness& harness, std::uint64_t seed,
                const std::function<void(const server::Room&, const record::RecordedTick&,
                                         bool before)>& on_tick);

}  // namespace tickbox::tests
