#pragma once
// Steps a recorded match again, with the code that stepped it first, and compares every tick's
// hash.
//
// Each segment is stepped separately, from its keyframe to the next, and the results are added in
// file order. So several threads may step segments of one recording and get exactly the result of
// one thread.

#include "core/ids.h"
#include "engine/log/words.h"
#include "engine/map.h"
#include "engine/stepper.h"
#include "engine/world.h"
#include "record/reader.h"
#include "record/replayer.h"
#include "record/segments.h"
#include "tickbox/game_table.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::record {

/// The first difference of two worlds of one tick, in words.
struct Difference {
  std::optional<BodyId> entity;  ///< none if the difference is not in an entity
  std::string subject;           ///< as of engine::WorldDifference
  std::string field;             ///< of the subject; "state_hash" if only hashes are known
  std::string expected;          ///< as of engine::FieldDifference
  std::string got;

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Returns the first difference that engine::compare_worlds() finds; nothing if all are equal.
[[nodiscard]] std::optional<Difference> first_difference(const engine::World& expected,
                                                         const engine::World& got);

/// Returns the first difference; that of the hashes if no field differs.
[[nodiscard]] Difference difference_or_hashes(const engine::World& expected,
                                              const engine::World& got);

/// Returns the difference of two state hashes.
[[nodiscard]] Difference hash_difference(std::uint64_t expected, std::uint64_t got);

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
  std::uint64_t ticks = 0;       ///< ticks compared
  std::uint64_t mismatched = 0;  ///< of these, and of the keyframe after them if they lead to it
  std::optional<Mismatch> first_mismatch;
  std::optional<Mismatch> unrepeatable;
  /// Set if the hash that the segment's own keyframe names is not that of its world.
  std::optional<Mismatch> keyframe;
  bool has_compared_next = false;  ///< its ticks lead to the next keyframe, and that was compared
  bool no_world = false;           ///< the keyframe is not a valid world of this map
  bool impossible = false;         ///< a tick is not possible in its world
  bool given_up = false;           ///< `stopped` ended the segment early
};

/// Steps segments, one after the other. Thread: one verifier for each.
class SegmentVerifier {
 public:
  /// Requires: `options` outlives this; game and map are those that the recording's header names.
  SegmentVerifier(const Reader& recording, const GameTable& game, const engine::SharedMap& map,
                  const VerifyOptions& options);

  /// Verifies a segment. Requires: it is from segments_of() this recording.
  [[nodiscard]] SegmentResult verify(const Segment& segment);

  // Record by record, of a recording that may grow.

  [[nodiscard]] Replayer& replayer() { return replayer_; }

  [[nodiscard]] const Replayer& replayer() const { return replayer_; }

  /// Compares the world with the keyframe that the replayer has read, if it was stepped to that.
  void compare_keyframe();

  /// Begins a segment with that keyframe.
  void begin();

  /// Steps the ticks that the replayer has read, and compares them.
  void step_ticks();

  /// Steps the unfinished tick that the replayer has read, if the options say so.
  void step_unfinished();

  [[nodiscard]] const SegmentResult& result() const { return result_; }

 private:
  [[nodiscard]] bool is_wanted(const Segment& segment) const;

  [[nodiscard]] bool is_wanted(Tick tick) const {
    return tick >= options_.from && tick <= options_.to;
  }

  [[nodiscard]] bool gives_up();
  [[nodiscard]] bool step();
  void compare(const EncodedTick& recorded);
  void count(Tick tick, Difference&& what);
  void repeat(Tick tick);

  const VerifyOptions& options_;
  Replayer replayer_;
  engine::Stepper beside_;               ///< steps the second world
  std::optional<engine::World> second_;  ///< none without `twice`, and once it has differed
  bool waits_ = false;  ///< quiet or idle ticks passed; the hash of their stretch follows
  SegmentResult result_;
};

/// Adds the results of segments in file order.
class VerifySum {
 public:
  void add(const Segment& segment, const SegmentResult& result);

  /// Returns the sum. Requires: every segment of `segments` was added, and what was added before is
  /// no longer there.
  [[nodiscard]] VerifyResult result(const Segments& segments) const;

 private:
  VerifyResult sum_;
  bool has_compared_next_ = false;  ///< the segment that was added last
};

/// A verification that several threads may share. `progress` of the options is not called.
class SharedVerification {
 public:
  /// Finds the segments. Requires: all arguments outlive this; otherwise as SegmentVerifier.
  SharedVerification(const Reader& recording, const GameTable& game, const engine::SharedMap& map,
                     const VerifyOptions& options);

  [[nodiscard]] std::size_t segments() const { return segments_.all.size(); }

  /// Verifies segments until none is left, and calls `progress` after each of them, as that of the
  /// options. Thread: any number at once.
  void work(const std::function<void(std::uint32_t)>& progress);

  /// Returns the result. Requires: all work() has returned, and there was one.
  [[nodiscard]] VerifyResult result() const;

 private:
  const Reader& recording_;
  const GameTable& game_;
  const engine::SharedMap& map_;
  const VerifyOptions& options_;
  Segments segments_;
  std::vector<SegmentResult> results_;  ///< each has its own place, so their order has no effect
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> done_{0};
};

/// Verifies the whole recording on this thread. Requires: `reader` is fresh from open(); game and
/// map are those that its header names.
[[nodiscard]] VerifyResult verify(const Reader& reader, const GameTable& game,
                                  const engine::SharedMap& map, const VerifyOptions& options = {});

/// Verifies a match while it is played, record by record.
class LiveVerifier {
 public:
  /// `recording`: at the first record. Requires: as SegmentVerifier.
  LiveVerifier(const Reader& recording, const GameTable& game, const engine::SharedMap& map,
               const VerifyOptions& options)
      : verifier_(recording, game, map, options) {}

  /// Returns the reader of the records, in which the recording may grow.
  [[nodiscard]] Reader& reader() { return verifier_.replayer().reader(); }

  [[nodiscard]] const Reader& reader() const { return verifier_.replayer().reader(); }

  /// Verifies the next record, and returns what it is.
  Reader::Item next();

  /// Returns the last tick of the record that was verified last; 0 before the first.
  [[nodiscard]] Tick last_tick() const { return segments_.last_tick(); }

  /// Returns what is known so far, the present segment included.
  [[nodiscard]] VerifyResult result() const;

 private:
  Segments segments_;  ///< of all segments only the last
  SegmentVerifier verifier_;
  VerifySum sum_;
};

}  // namespace tickbox::record
