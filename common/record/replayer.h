#pragma once
// Goes through a recording tick by tick, with the world as it was after each.

#include "game/map.h"
#include "game/rules.h"
#include "game/step.h"
#include "game/world.h"
#include "record/reader.h"
#include "record/recorded.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::record {

/// Where ticks are missing it goes on with the next keyframe; a keyframe that continues the ticks
/// before sets a world right that came to another.
class Replayer {
 public:
  /// Requires: map and rules outlive this, and are those that the recording's header names.
  Replayer(Reader reader, const game::SharedMap& map, const game::Rules& rules);

  /// Moves on to the next tick that can be had. False at the end.
  bool next();

  /// Requires: the last next() was true.
  [[nodiscard]] const game::World& world() const { return *world_; }

  /// What entered the tick; nullptr where the world was read from a keyframe and not stepped.
  [[nodiscard]] const RecordedTick* commands() const { return commands_; }

  /// Of the world as it was recorded, and as it is here. Within a quiet stretch no hash was
  /// recorded: then both are as it is here.
  [[nodiscard]] std::uint64_t recorded_hash() const { return recorded_hash_; }

  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// Damaged stretches up to here, and records no world can have.
  [[nodiscard]] std::uint32_t damages() const { return damages_; }

 private:
  [[nodiscard]] bool step();
  [[nodiscard]] bool begin();
  void lose_world();

  Reader reader_;
  const game::SharedMap& map_;
  const game::Rules& rules_;
  game::Stepper stepper_;
  std::optional<game::World> world_;  ///< none before the first keyframe and after damage
  std::size_t taken_ = 0;             ///< ticks of the reader's record
  std::size_t ticks_ = 0;             ///< that it has
  const RecordedTick* commands_ = nullptr;
  std::uint64_t recorded_hash_ = 0;
  std::uint64_t hash_ = 0;
  std::uint32_t damages_ = 0;
};

}  // namespace tickbox::record
