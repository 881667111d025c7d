#pragma once
// A match that a black box keeps.

#include "server/recording/black_box.h"
#include "tests/support/recorded_match.h"

namespace tickbox::tests {

/// Plays a tick as a shard does: the black box stores the commands of the tick before the room
/// steps.
inline void play_tick(RecordedMatch& played, server::BlackBox& black_box) {
  const auto commands = played.decide();
  black_box.prepare(played.room());
  played.room().log_commands(commands, played.origins());
  black_box.stepping(played.room().log());
  played.room().tick(commands);
  black_box.stepped(played.room());
}

}  // namespace tickbox::tests
