#pragma once
// A game whose rules fail an assertion in one tick, in the middle of its step.

#include "core/assert.h"
#include "core/ids.h"
#include "tests/support/changed_game.h"

namespace tickbox::tests {

/// In the step that makes `tick`.
[[nodiscard]] inline Changes failing_at(Tick tick) {
  return {.before = [tick](const MidTick& running) {
    const bool the_planted_failure = running.tick() == tick;
    TICKBOX_ASSERT(!the_planted_failure);
  }};
}

}  // namespace tickbox::tests
