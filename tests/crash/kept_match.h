#pragma once
// A match whose log a recorder keeps.

#include "server/recording/recorder.h"
#include "tests/support/recorded_match.h"

namespace tickbox::tests {

/// Decides a tick, and gives it to the recorder as a shard does before the match steps it.
inline void begin_tick(RecordedMatch& played, server::Recorder& recorder) {
  const RecordedMatch::Decided decided = played.decide();
  recorder.stepping(decided.request, decided.origins);
}

/// Plays a tick as a shard does.
inline void play_tick(RecordedMatch& played, server::Recorder& recorder) {
  begin_tick(played, recorder);
  played.play();
  recorder.stepped();
}

}  // namespace tickbox::tests
