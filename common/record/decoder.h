#pragma once
// Worlds and ticks of a recording, decoded with its game. The bytes are untrusted: what no server
// can have written is refused, before anything is stepped.

#include "core/bytes.h"
#include "engine/keyframe.h"
#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/tick_record.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "record/recorded.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::record {

/// Decodes the segments of a recording, one after the other: a world, then the ticks after it.
class Decoder {
 public:
  /// `game` must live longer. Requires: game and map are those that the recording's header names.
  Decoder(const GameTable& game, engine::SharedMap map, std::uint32_t tick_rate);

  /// Reads the world of a keyframe; the next tick() continues it. The hash of the world may differ
  /// from the one that the keyframe names. Fails: nothing, if the world is not possible; then
  /// tick() must not follow.
  [[nodiscard]] std::optional<engine::Keyframe> begin(ConstBytes world);

  /// Reads the next tick, which is valid until the next call. Fails: nullptr, if no server writes
  /// it after the ticks before; then only begin() may follow.
  [[nodiscard]] const engine::DecodedTick* tick(const EncodedTick& recorded);

  /// Reads the next tick and steps a world by it. The tick is then last().
  /// Fails: false, if no server writes this tick for this world.
  [[nodiscard]] bool step(engine::World& world, const EncodedTick& recorded);

  /// Reads a tick whose step never ended, which has only what was requested, and steps a world by
  /// it as a server does. An assertion that failed in it fails again. Fails: as step().
  [[nodiscard]] bool step_unfinished(engine::World& world, const EncodedTick& recorded);

  /// Lets each step ask `stopped`, also in the middle of a costly tick, and give up if it is true.
  /// May be empty.
  void stop_when(const std::function<bool()>& stopped);

  /// Returns whether a step has given up: its world, and all worlds stepped since, are not those of
  /// the match.
  [[nodiscard]] bool gave_up() const { return stepper_.gave_up(); }

  /// Returns what happened in the tick that step() stepped last, until the next one. Requires:
  /// there was one.
  [[nodiscard]] const engine::TickReport& report() const { return *report_; }

  /// Returns the tick that was read last.
  [[nodiscard]] const engine::DecodedTick& last() const { return tick_; }

 private:
  engine::World like_;
  engine::TickLogReader log_;
  engine::DecodedTick tick_;
  engine::Stepper stepper_;
  const engine::TickReport* report_ = nullptr;
  engine::TickRecord record_;  ///< what a tick whose step never ended has done
};

}  // namespace tickbox::record
