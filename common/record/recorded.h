#pragma once
// What a recording holds, decoded: whole worlds now and then, and what entered each tick between
// them.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/input.h"
#include "game/restore.h"
#include "game/step.h"
#include "game/world.h"

#include <cstdint>
#include <vector>

namespace tickbox::record {

/// Where a tick's input came from.
enum class InputSource : std::uint8_t {
  Arrived,      ///< from the player, in time
  Substituted,  ///< made up by the server, because the player's had not come
};

/// One tick: what entered it, and the hash of the state after its step.
struct RecordedTick {
  Tick tick;
  std::vector<PlayerId> leaves;
  std::vector<PlayerId> joins;
  std::vector<game::PlayerInput> inputs;
  std::vector<InputSource> sources;   ///< of inputs, one for one
  std::vector<game::Strike> strikes;  ///< each shooter at most once
  std::uint64_t state_hash = 0;

  /// Valid as long as this.
  [[nodiscard]] game::TickCommands commands() const {
    return {.leaves = leaves, .joins = joins, .inputs = inputs, .strikes = strikes};
  }
};

/// A whole world after `tick`.
struct Keyframe {
  Tick tick;
  std::uint32_t segment = 0;  ///< number of the segment that it begins, from 0
  Tick previous;              ///< of the keyframe before; its own where it is the first
  bool gap_before = false;    ///< ticks before it were not recorded
  std::uint64_t state_hash = 0;
  std::uint64_t random = 0;  ///< state of the world's random sequence
  std::vector<game::Seat> seats;
  std::vector<game::EntityState> entities;  ///< by id, no id twice

  /// Valid as long as this.
  [[nodiscard]] game::WorldFields fields() const {
    return {.tick = tick, .random = random, .seats = seats, .entities = entities};
  }
};

/// Where the keyframe of a segment begins.
struct KeyframePlace {
  std::uint64_t offset = 0;  ///< bytes from the start of the file
  Tick tick;
  std::uint32_t segment = 0;

  friend bool operator==(const KeyframePlace&, const KeyframePlace&) = default;
};

/// A clean end.
struct Trailer {
  Tick last_tick;  ///< recorded
  Tick last_keyframe;
  bool gap_before = false;  ///< ticks after last_tick were not recorded
  std::uint32_t segments = 0;
  std::uint32_t ticks = 0;
  std::uint32_t gaps = 0;
  std::vector<KeyframePlace>
      index;  ///< in order; of files that lost something, as if it were there
};

}  // namespace tickbox::record
