#pragma once
// Steps a recorded match again, by the code that stepped it, and compares every tick's hash.
//
// Each segment is stepped by itself, from its keyframe to the next, and what came of it is added up
// in the order of the file. So several threads may step segments of one recording, and come to the
// very result of one.

#include "game/map.h"
#include "game/rules.h"
#include "game/step.h"
#include "record/difference.h"
#include "record/reader.h"
#include "record/segments.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>

namespace tickbox::record {

/// Where a replay first went another way.
struct Mismatch {
  Tick tick;  ///< the first whose hash differs
  /// Of the lowest id that differs, expected being what was recorded. Only the hashes where no
  /// keyframe follows to compare with.
  Difference what;

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct VerifyOptions {
  Tick from;  ///< the first tick to compare
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Step the tick whose step never ended, too, after all others: an assertion that failed in it
  /// fails again.
  bool step_unfinished = false;
  /// Called now and then with the share of the segments that is done, in 1/1000. May be empty.
  std::function<void(std::uint32_t)> progress{};
  /// Asked at each record, then before each tick by every thread that steps: true gives the rest
  /// up. May be empty.
  std::function<bool()> stopped{};
};

struct VerifyResult {
  std::uint64_t ticks = 0;  ///< compared; the hash of a quiet stretch's last tick is that of all
  std::uint64_t mismatched = 0;
  std::optional<Mismatch> first_mismatch;
  bool complete = false;  ///< the trailer was there, nothing damaged, no gap
  bool ends_early = false;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  std::uint32_t damages = 0;       ///< damaged stretches, and records no world can have
  std::uint32_t gaps = 0;
  std::uint32_t segments_whole = 0;
  std::uint32_t segments_lost = 0;    ///< of which damage took something
  std::uint64_t recovered_ticks = 0;  ///< of `ticks`, those after the first damage
  Tick last_tick;                     ///< that was read
  bool interrupted = false;  ///< the rest was given up: what was found holds, nothing else does

  [[nodiscard]] bool held() const { return mismatched == 0 && damages == 0; }

  friend bool operator==(const VerifyResult&, const VerifyResult&) = default;
};

/// What came of one segment.
struct SegmentResult {
  std::uint64_t ticks = 0;  ///< compared
  std::uint64_t mismatched = 0;
  std::optional<Mismatch> first_mismatch;
  std::optional<Difference> keyframe;  ///< its own hash is not that of its world
  std::optional<Difference> next;      ///< where the world came to another than the next keyframe
  bool no_world = false;               ///< the keyframe is no world of this map
  bool impossible = false;             ///< a tick holds what cannot have entered it
  bool given_up = false;               ///< before its end, as was asked for
};

/// Steps segments, one after the other. Each thread has its own; none of them changes the file.
class SegmentVerifier {
 public:
  /// Requires: all outlive this; rules and map are those that the recording's header names.
  SegmentVerifier(const Reader& recording, const game::SharedMap& map, const game::Rules& rules,
                  const VerifyOptions& options)
      : recording_(recording), map_(map), rules_(rules), options_(options) {}

  /// Requires: of segments_of() this recording.
  [[nodiscard]] SegmentResult verify(const Segment& segment);

 private:
  [[nodiscard]] bool wanted(const Segment& segment) const;
  [[nodiscard]] bool in_range(Tick tick) const;
  [[nodiscard]] bool gives_up(SegmentResult& result) const;
  [[nodiscard]] bool take(game::World& world, const RecordedTick& recorded, SegmentResult& result);
  void step_unfinished(game::World& world, const RecordedTick& recorded, SegmentResult& result);

  const Reader& recording_;
  const game::SharedMap& map_;
  const game::Rules& rules_;
  const VerifyOptions& options_;
  game::Stepper stepper_;
  bool waits_ = false;  ///< quiet ticks were stepped; the hash of their stretch is still to come
};

/// Adds up what came of each segment.  Requires: one result for each of segments.all.
[[nodiscard]] VerifyResult add_up(const Segments& segments, std::span<const SegmentResult> results,
                                  const VerifyOptions& options);

/// All of it, on this thread.  Requires: `reader` is fresh from open(); rules and map are those
/// that its header names.
[[nodiscard]] VerifyResult verify(const Reader& reader, const game::SharedMap& map,
                                  const game::Rules& rules, const VerifyOptions& options = {});

}  // namespace tickbox::record
