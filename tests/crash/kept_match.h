#pragma once
// A match that a black box keeps.

#include "server/recording/black_box.h"
#include "tests/support/recorded_match.h"

namespace tickbox::tests {

/// Decides a tick, and gives it to the black box as a shard does before the match steps it.
inline void begin_tick(RecordedMatch& played, server::BlackBox& black_box) {
  const RecordedMatch::Decided decided = played.decide();
  black_box.stepping(played.match(), {.request = decided.request, .origins = decided.origins});
}

/// Plays a tick as a shard does.
inline void play_tick(RecordedMatch& played, server::BlackBox& black_box) {
  begin_tick(played, black_box);
  played.play();
  black_box.stepped(played.match());
}

}  // namespace tickbox::tests
