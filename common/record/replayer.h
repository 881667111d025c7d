#pragma once
// Steps through a recording tick by tick, and provides the world after each tick.

#include "core/bytes.h"
#include "engine/map.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "record/decoder.h"
#include "record/reader.h"
#include "record/recorded.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace tickbox::record {

/// After missing ticks the replay continues at the next keyframe. A keyframe that continues the
/// ticks before corrects a world that has diverged.
class Replayer {
 public:
  /// `game` must live longer. Requires: game and map are those that the recording's header names.
  Replayer(Reader reader, const GameTable& game, const engine::SharedMap& map);

  /// As Decoder::stop_when().
  void stop_when(const std::function<bool()>& stopped) { decoder_.stop_when(stopped); }

  /// As Reader::grow(). Requires: also that `file` begins where the bytes before began in memory.
  void grow(ConstBytes file) { reader_.grow(file, 0); }

  /// Advances to the next available tick. Returns false at the end, and once a step has given up.
  bool next();

  /// Returns whether a step has given up.
  [[nodiscard]] bool gave_up() const { return decoder_.gave_up(); }

  /// Returns whether there is a world: the last one, if next() is false.
  [[nodiscard]] bool has_world() const { return world_.has_value(); }

  /// Returns the world after the tick. Requires: has_world(), as after next() was true.
  [[nodiscard]] const engine::World& world() const { return *world_; }

  /// Returns what entered the tick; nullptr if the world was read from a keyframe and not stepped.
  [[nodiscard]] const engine::DecodedTick* entered() const {
    return is_stepped_ ? &decoder_.last() : nullptr;
  }

  /// Returns what happened in the tick; nullptr if the world was read from a keyframe.
  [[nodiscard]] const engine::TickReport* report() const {
    return is_stepped_ ? &decoder_.report() : nullptr;
  }

  /// Returns the state hash of the recorded world; hash() returns that of the replayed one. Within
  /// a quiet or idle stretch no hash was recorded: both then return the replayed one.
  [[nodiscard]] std::uint64_t recorded_hash() const { return recorded_hash_; }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// Returns the number of damaged stretches and impossible records so far.
  [[nodiscard]] std::uint32_t damages() const { return damages_; }

 private:
  [[nodiscard]] bool step();
  [[nodiscard]] bool begin();
  void discard_world();

  Reader reader_;
  Decoder decoder_;
  std::optional<engine::World> world_;  ///< none before the first keyframe and after damage
  std::size_t taken_ = 0;               ///< ticks taken of the reader's record
  std::size_t ticks_ = 0;               ///< ticks in that record
  bool is_stepped_ = false;
  std::uint64_t recorded_hash_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t damages_ = 0;
};

}  // namespace tickbox::record
