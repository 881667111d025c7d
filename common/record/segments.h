#pragma once
// The segments of a recording and their places in the file, the search for a tick, the content in
// numbers, and copies of whole segments. Each segment can be stepped separately, in any order and
// by several threads.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "record/reader.h"
#include "record/room_log.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace tickbox::record {

/// Damaged stretches that are listed one by one; the rest are only counted.
inline constexpr std::size_t kDamagesListedMax = 64;

/// A keyframe and the records that continue it without a break.
struct Segment {
  std::size_t offset = 0;    ///< offset of the keyframe's record
  std::size_t end = 0;       ///< offset after the last record
  std::uint32_t number = 0;  ///< number, as written in the keyframe
  Tick keyframe;
  Tick last;                   ///< last tick in the segment
  bool damage_before = false;  ///< anywhere before it in the file
  bool continued = false;      ///< the next segment begins at the last tick of this one
  bool is_whole = true;        ///< it has lost nothing to damage
};

/// The segments of a file, and what lies between them.
struct Segments {
  std::vector<Segment> all;
  std::uint32_t missing = 0;    ///< segments of which damage has left nothing
  std::uint32_t damages = 0;    ///< damaged stretches; also segments that were removed whole
  std::vector<Damage> damaged;  ///< the first kDamagesListedMax stretches
  bool damage_after = false;    ///< damage follows the last segment
  std::uint32_t gaps = 0;       ///< how often ticks were not recorded
  std::uint64_t ticks = 0;
  std::uint64_t idle_ticks = 0;  ///< of those, in which the world was not stepped
  std::optional<Trailer> trailer;
  std::optional<Tick> unfinished;  ///< the tick whose step never ended
  bool ends_early = false;
  bool interrupted = false;  ///< `stopped` ended the walk; the rest is missing here

  /// Adds the item that `reader` has returned last.
  void add(Reader::Item item, const Reader& reader);

  /// Lists a stretch, and does not count it.
  void list(const Damage& stretch);

  /// Returns whether there is a trailer, no damage and no gap.
  [[nodiscard]] bool is_complete() const {
    return trailer && damages == 0 && gaps == 0 && !interrupted;
  }

  /// Returns the tick of the first keyframe; nothing if there is none.
  [[nodiscard]] std::optional<Tick> first_tick() const {
    return all.empty() ? std::nullopt : std::optional{all.front().keyframe};
  }

  /// Returns the last tick that can be read; 0 if there is none.
  [[nodiscard]] Tick last_tick() const { return all.empty() ? Tick{} : all.back().last; }

 private:
  void close_last(std::uint32_t next, Tick previous, std::optional<std::uint32_t> first);
};

/// Reads `reader`, fresh from open(), to its end, or until `stopped` returns true. `stopped` is
/// called at each record and may be empty. Cost: linear in the file's length; steps no tick.
[[nodiscard]] Segments segments_of(Reader reader, const std::function<bool()>& stopped = {});

/// Returns a reader whose first item is the last whole keyframe at or before `tick`; a reader of
/// the whole file if there is none. Cost: as segments_of().
[[nodiscard]] Reader seek(const Reader& recording, Tick tick);

// The content of a recording in numbers, counted without stepping any tick.

/// What the players of a recording did.
struct PlayerSummary {
  std::uint64_t joins = 0;
  std::uint64_t leaves = 0;
  std::uint64_t inputs = 0;              ///< one of each player in each tick
  std::uint64_t inputs_substituted = 0;  ///< of those, not received from the client in time
  std::uint64_t players_max = 0;         ///< maximum number of players at once
};

struct Summary {
  Segments records;  ///< with the game, impossible worlds and ticks count as damage in it too
  std::optional<PlayerSummary> players;  ///< none without the game
};

/// Counts the records of `reader`, fresh from open(), to its end. `played`: the game and the map
/// that its header names; nullptr without them.
[[nodiscard]] Summary summarize(const Reader& reader, const engine::GameOnMap* played);

// Copying whole segments to a new recording, byte for byte.

/// The ticks that a copy must have; it has whole segments, so it may begin earlier and end later.
struct CutRange {
  Tick from;
  Tick to{std::numeric_limits<std::uint32_t>::max()};
  /// Called at each record that is read, and at each segment that is copied: true ends the work
  /// early. May be empty.
  std::function<bool()> stopped{};
};

struct CutResult {
  std::optional<Tick> first;  ///< the first keyframe; none if no segment in the range is whole
  Tick last;
  LogFileStats copy;          ///< of the copy; its lost ticks and gaps are those between segments
  std::uint32_t damages = 0;  ///< damaged stretches of the original
  bool written = false;       ///< the sink took everything
  bool interrupted = false;   ///< `stopped` ended it early: the copy has no end
};

/// Copies the segments that have a tick of the range, without those that lost something to damage.
/// The copy belongs to no server. Needs no game: bytes are not decoded.
/// Requires: `reader` is fresh from open().
[[nodiscard]] CutResult cut(const Reader& reader, ByteSink& sink, const CutRange& range = {});

}  // namespace tickbox::record
