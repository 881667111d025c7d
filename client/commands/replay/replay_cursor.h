#pragma once
// The world of a recording at any tick: steps forward, and goes back to a keyframe and steps from
// there.

#include "client/commands/replay/replay_commands.h"
#include "record/replayer.h"
#include "record/segments.h"

#include <cstddef>
#include <optional>
#include <set>

namespace tickbox::commands {

class ReplayCursor {
 public:
  /// Requires: `match` outlives the cursor; `segments` of it, at least one.
  ReplayCursor(const RecordedMatch& match, record::Segments segments);

  [[nodiscard]] Tick first() const { return segments_.all.front().keyframe; }

  [[nodiscard]] Tick last() const { return segments_.all.back().last; }

  /// Moves to a tick; if the recording lacks it, to the last one before it, or to the first.
  /// Cost: steps from the present tick, if it is before `tick`, in the same segment or in the one
  /// before; else from the keyframe before `tick`.
  void seek(Tick tick);

  /// Returns the world after the tick; nullptr if nothing there can be read.
  [[nodiscard]] const engine::World* world() const {
    return has_world_ ? &replayer_->world() : nullptr;
  }

  /// Returns the number of ticks so far whose stepped world has another hash than was recorded.
  [[nodiscard]] std::size_t mismatched() const { return mismatched_.size(); }

 private:
  const RecordedMatch& match_;
  record::Segments segments_;
  std::optional<record::Replayer> replayer_;
  bool has_world_ = false;
  std::optional<Tick> at_;  ///< the last tick that was sought
  std::set<Tick> mismatched_;
};

}  // namespace tickbox::commands
