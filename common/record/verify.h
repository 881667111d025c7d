#pragma once
// Steps a recorded match again, with the code that stepped it first, and compares every tick's
// hash.
//
// Each segment is stepped separately, from its keyframe to the next, and the results are added in
// file order. So several threads may step segments of one recording and get exactly the result of
// one thread.

#include "engine/map.h"
#include "engine/world.h"
#include "record/decoder.h"
#include "record/difference.h"
#include "record/reader.h"
#include "record/segments.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

namespace tickbox::record {

/// The first difference between a replay and its recording.
struct Mismatch {
  Tick tick;  ///< first tick whose hash differs
  /// The tick of the states that `what` compares: that of the next keyframe, up to which the
  /// difference may have spread; else `tick`.
  Tick compared;
  /// The difference of the lowest id that differs; `expected` is the recorded value. Only the
  /// hashes, if no keyframe follows for a comparison.
  Difference what;

  friend bool operator==(const Mismatch&, const Mismatch&) = default;
};

struct VerifyOptions {
  Tick from;  ///< the first tick to compare
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Also step a second world beside the first, by turns, and compare the two after each tick. A
  /// game that keeps memory outside of its state steps them differently.
  bool twice = false;
  /// Also step the tick whose step never ended, after all others: an assertion that failed in it
  /// fails again.
  bool step_unfinished = false;
  /// Called from time to time with the completed share of the segments, in 1/1000. May be empty.
  std::function<void(std::uint32_t)> progress{};
  /// Called at each record, then before each tick and in the middle of a costly one by every thread
  /// that steps: true ends the work early. May be empty.
  std::function<bool()> stopped{};
};

struct VerifyResult {
  std::uint64_t ticks = 0;  ///< ticks compared; a quiet or idle stretch by its last tick's hash
  std::uint64_t mismatched = 0;
  std::optional<Mismatch> first_mismatch;
  /// With `twice`: the first tick after which the two worlds differ; `got` is of the second.
  std::optional<Mismatch> unrepeatable;
  bool complete = false;  ///< a trailer, no damage, no gap, and not interrupted
  bool ends_early = false;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  std::uint32_t damages = 0;       ///< damaged stretches, and impossible records
  std::uint32_t gaps = 0;
  std::uint32_t segments_whole = 0;
  std::uint32_t segments_lost = 0;    ///< segments that lost something to damage
  std::uint64_t recovered_ticks = 0;  ///< ticks compared after the first damage
  Tick last_tick;                     ///< last tick read
  bool interrupted = false;           ///< `stopped` ended it early: only what was found is valid

  [[nodiscard]] bool held() const { return mismatched == 0 && !unrepeatable && damages == 0; }

  friend bool operator==(const VerifyResult&, const VerifyResult&) = default;
};

/// The result of one segment.
struct SegmentResult {
  std::uint64_t ticks = 0;  ///< ticks compared
  std::uint64_t mismatched = 0;
  std::optional<Mismatch> first_mismatch;
  std::optional<Mismatch> unrepeatable;
  std::optional<Difference> keyframe;  ///< set if the keyframe's hash is not that of its world
  std::optional<Difference>
      at_next_keyframe;     ///< set if the stepped world differs from the next keyframe
  bool no_world = false;    ///< the keyframe is not a valid world of this map
  bool impossible = false;  ///< a tick is not possible in its world
  bool given_up = false;    ///< `stopped` ended the segment early
};

/// Steps segments, one after the other. Thread: one verifier for each.
class SegmentVerifier {
 public:
  /// Requires: `options` outlives this; game and map are those that the recording's header names.
  SegmentVerifier(const GameTable& game, const engine::SharedMap& map, std::uint32_t tick_rate,
                  const VerifyOptions& options);

  /// Begins a segment with the keyframe that `reader` has returned.
  void begin(const Reader& reader);

  /// Steps what `reader` has returned: ticks of the segment, or the unfinished one.
  void verify(Reader::Item item, const Reader& reader);

  /// Compares the stepped world with the keyframe that `reader` has returned. Requires: that
  /// continues the segment.
  void compare_next(const Reader& reader);

  [[nodiscard]] const SegmentResult& result() const { return result_; }

  /// Does all of these for a segment. Requires: it is from segments_of() this recording.
  [[nodiscard]] SegmentResult verify(const Reader& recording, const Segment& segment);

 private:
  [[nodiscard]] bool is_wanted(const Segment& segment) const;

  [[nodiscard]] bool is_wanted(Tick tick) const {
    return tick >= options_.from && tick <= options_.to;
  }

  [[nodiscard]] bool gives_up();
  [[nodiscard]] bool step(const EncodedTick& recorded);
  void step_unfinished(const EncodedTick& recorded);
  void repeat(const EncodedTick& recorded);

  const VerifyOptions& options_;
  Decoder decoder_;
  std::optional<Decoder> beside_;        ///< steps the second world
  std::optional<engine::World> world_;   ///< none if nothing more is stepped in the segment
  std::optional<engine::World> second_;  ///< none without `twice`, and once it has differed
  bool waits_ = false;  ///< quiet or idle ticks passed; the hash of their stretch follows
  SegmentResult result_;
};

/// Adds the results of segments in file order.
class VerifySum {
 public:
  explicit VerifySum(const VerifyOptions& options) : from_(options.from), to_(options.to) {}

  void add(const Segment& segment, const SegmentResult& result);

  /// Returns the sum. Requires: every segment of `segments` was added, and what was added before is
  /// no longer there.
  [[nodiscard]] VerifyResult result(const Segments& segments) const;

 private:
  void compare_keyframe(const Segment& segment, const SegmentResult& result);

  Tick from_;
  Tick to_;
  VerifyResult sum_;
  // Of the last segment, if its end can be compared with a keyframe.
  bool differs_ = false;                        ///< a tick of it does
  bool has_first_ = false;                      ///< the first mismatch of all is in it
  std::optional<Difference> at_next_keyframe_;  ///< of its stepped world from that keyframe
};

/// Verifies the whole recording on this thread. Requires: `reader` is fresh from open(); game and
/// map are those that its header names.
[[nodiscard]] VerifyResult verify(const Reader& reader, const GameTable& game,
                                  const engine::SharedMap& map, const VerifyOptions& options = {});

/// Verifies a match while it is played, item by item.
class LiveVerifier {
 public:
  /// Requires: as SegmentVerifier.
  LiveVerifier(const GameTable& game, const engine::SharedMap& map, std::uint32_t tick_rate,
               const VerifyOptions& options)
      : verifier_(game, map, tick_rate, options), sum_(options) {}

  /// Verifies the item that `reader` has returned.
  void verify(Reader::Item item, const Reader& reader);

  /// Returns what is known so far, the present segment included.
  [[nodiscard]] VerifyResult result() const;

 private:
  Segments segments_;  ///< of all segments only the last
  SegmentVerifier verifier_;
  VerifySum sum_;
};

}  // namespace tickbox::record
