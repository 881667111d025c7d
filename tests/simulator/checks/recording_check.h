#pragma once
// Compares a recording with what happened. It replays to the hashes of the room, tick for tick.
// Ticks are missing only where the disk accepted none. Each input was decided by its player for its
// tick, or was substituted once, but never if it was acknowledged before.

#include "engine/log/tick_log.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "record/reader.h"
#include "record/replayer.h"
#include "tests/simulator/checks/findings.h"
#include "tests/simulator/match.h"

#include <cstdint>
#include <optional>

namespace tickbox::simulator {

struct RecordingCounts {
  std::uint64_t recordings = 0;  ///< files
  std::uint64_t parts = 0;       ///< of those, files that follow another
  std::uint64_t ticks = 0;       ///< compared ticks
  std::uint64_t gaps = 0;
  std::uint64_t arrived = 0;      ///< inputs that their players decided
  std::uint64_t owed = 0;         ///< of those, acknowledged before their tick
  std::uint64_t substituted = 0;  ///< substituted inputs
  double missed_in_calm = 0;      ///< the largest share of one player in a recording
};

class RecordingCheck {
 public:
  /// Borrows all of them.
  RecordingCheck(Findings& findings, const GameTable& game, const engine::SharedMap& map,
                 const Plan& plan);

  void check(const Recorded& recorded);

  [[nodiscard]] const RecordingCounts& counts() const { return counts_; }

 private:
  struct Walk;

  void walk(const Recorded& recorded, const record::Reader& reader);
  void begin(const engine::Keyframe* keyframe, Walk& walk);
  void take(const record::EncodedTick& recorded, const engine::DecodedTick* tick, Walk& walk);
  void check_inputs(Tick now, const engine::DecodedTick& tick, Walk& walk);
  void check_presence(Tick now, const engine::DecodedTick& tick, Walk& walk);
  void check_number(std::uint32_t segment);
  void check_ticks(Tick first, Walk& walk);
  void check_end(const Walk& walk);
  void check_calm(const Walk& walk);
  void check_handed(const Recorded& recorded);
  void check_length(const Walk& walk);

  Findings& findings_;
  const GameTable& game_;
  const engine::SharedMap& map_;
  const Plan& plan_;
  engine::Stepper stepper_;
  std::optional<std::uint32_t> last_segment_;  ///< of the present server
  RecordingCounts counts_;
};

}  // namespace tickbox::simulator
