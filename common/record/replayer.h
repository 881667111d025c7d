#pragma once
// Steps through a recording: reads a record, decodes it with its game, and steps the world by it.
// Whatever needs the ticks or worlds of a recording goes through it by this class.

#include "core/bytes.h"
#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "record/reader.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace tickbox::record {

/// Lets each step of `stepper` ask `stopped`, also in the middle of a costly tick, and give up if
/// it is true. It may be empty.
void stop_when(const std::function<bool()>& stopped, engine::Stepper& stepper);

/// The bytes of a recording are untrusted: what no server can have written is refused, before
/// anything is stepped.
///
/// Goes on record by record with read() and step(), or tick by tick with next(). After missing or
/// impossible ticks it continues at the next keyframe. A keyframe that continues the ticks before
/// is where the next tick continues: a world that has diverged is set right.
class Replayer {
 public:
  /// `game` must live longer. Requires: game and map are those that the recording's header names.
  Replayer(Reader reader, const GameTable& game, const engine::SharedMap& map);

  /// As stop_when() of the stepper.
  void stop_when(const std::function<bool()>& stopped) { record::stop_when(stopped, stepper_); }

  /// Continues at the first record of another reader of the recording, without a world.
  void restart(Reader reader);

  /// Returns the reader of the records. A recording that grows may grow in it; its bytes may move
  /// only if no tick is left in the record.
  [[nodiscard]] Reader& reader() { return reader_; }

  [[nodiscard]] const Reader& reader() const { return reader_; }

  // Record by record.

  /// Reads the next record. Ticks are stepped by step(), or decoded by decode(). An unfinished tick
  /// is one, too: its step is that of a server, and an assertion that failed in it fails again.
  Reader::Item read();

  /// Returns the tick of the record that comes next; nullptr if none is left that can be stepped.
  [[nodiscard]] const EncodedTick* upcoming() const;

  /// Decodes the upcoming tick without a step; world() stays that of the keyframe. The tick is
  /// valid until the next call. Fails: nullptr, if there is none, or if it is impossible.
  [[nodiscard]] const engine::DecodedTick* decode();

  /// Steps the world by the upcoming tick. Fails: false, if there is none; or if it is impossible
  /// or was given up, and the segment is left.
  bool step();

  /// Leaves out what is left of the segment: no tick comes before the next keyframe.
  void leave_segment();

  /// Returns the keyframe that was read last; nullptr if it is impossible, and once a tick was
  /// stepped after it.
  [[nodiscard]] const engine::Keyframe* keyframe() const {
    return keyframe_ ? &*keyframe_ : nullptr;
  }

  /// Returns whether the world was stepped to the tick of keyframe(): the two should be equal.
  [[nodiscard]] bool continues() const { return keyframe_ && world_; }

  /// Returns whether no server writes the record that was read last, or its last tick.
  [[nodiscard]] bool is_impossible() const { return is_impossible_; }

  // Tick by tick.

  /// Advances to the next available tick. Returns false at the end, and once a step has given up.
  bool next();

  // The present tick.

  /// Returns whether a step has given up.
  [[nodiscard]] bool gave_up() const { return stepper_.gave_up(); }

  /// Returns whether there is a world: the last one, if next() is false.
  [[nodiscard]] bool has_world() const { return world_ || keyframe_; }

  /// Returns the world after the tick. Requires: has_world(), as after next() was true.
  [[nodiscard]] const engine::World& world() const { return world_ ? *world_ : keyframe_->world; }

  /// Returns what entered the tick; nullptr if the world was read from a keyframe and not stepped.
  [[nodiscard]] const engine::DecodedTick* entered() const {
    return is_stepped_ ? &tick_ : nullptr;
  }

  /// Returns what happened in the tick; nullptr if the world was read from a keyframe.
  [[nodiscard]] const engine::TickReport* report() const { return is_stepped_ ? report_ : nullptr; }

  /// Returns the state hash of the world. Requires: has_world(). Cost: that of the hash.
  [[nodiscard]] std::uint64_t hash() const { return engine::state_hash(world()); }

  /// Returns the state hash of the recorded world. Within a quiet or idle stretch none was
  /// recorded: this is hash() then.
  [[nodiscard]] std::uint64_t recorded_hash() const {
    return recorded_hash_ ? *recorded_hash_ : hash();
  }

  /// Returns the number of damaged stretches and impossible records so far.
  [[nodiscard]] std::uint32_t damages() const { return damages_; }

 private:
  void begin();
  void refuse();

  Reader reader_;
  engine::World like_;  ///< a world of the game and the map
  engine::TickLogReader log_;
  engine::DecodedTick tick_;
  engine::Stepper stepper_;
  const engine::TickReport* report_ = nullptr;
  Reader::Item item_{};                       ///< that was read last
  std::size_t taken_ = 0;                     ///< ticks of the record that were taken
  std::optional<engine::World> world_;        ///< as stepped; none from damage to the next keyframe
  std::optional<engine::Keyframe> keyframe_;  ///< that no tick has continued yet
  bool is_stepped_ = false;
  bool is_impossible_ = false;
  std::optional<std::uint64_t> recorded_hash_;
  std::uint32_t damages_ = 0;
};

}  // namespace tickbox::record
