#pragma once
// A recording, or the log of a room that grows, as a page views it: bytes in, moments and a verdict
// out.
//
// Three readers walk the same bytes at their own pace. One finds the segments, and steps nothing.
// One is the verifier that `tickbox replay verify` has too, so a page and the command give one
// verdict. One steps to the tick that is shown.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "record/format.h"
#include "record/reader.h"
#include "record/replayer.h"
#include "record/segments.h"
#include "record/verify.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::record {

/// The most bytes of a log that are held at once: six hours of 400 players.
inline constexpr std::size_t kLogBytesMax = std::size_t{512} * 1024 * 1024;

/// Why a log is not shown.
struct LogRefusal {
  /// Set if this module has not the game, the map or the rules of the log.
  std::optional<engine::BuildDifference> build;
  std::string words;  ///< one line
};

/// A log is hostile until the verifier has stepped it: its bytes may be anything.
/// Memory: at most twice kLogBytesMax, and what this library and `engine` allow a world.
class Viewing {
 public:
  /// `stopped` is asked before each tick and in the middle of a costly one; true ends the present
  /// seek(), step() or verify(). It may be empty. Requires: `games` lives longer.
  Viewing(engine::Games games, std::function<bool()> stopped);
  Viewing(const Viewing&) = delete;
  Viewing& operator=(const Viewing&) = delete;

  /// Returns space for the next `count` bytes of the log; none if that exceeds kLogBytesMax, and
  /// after end().
  [[nodiscard]] MutableBytes reserve(std::size_t count);

  /// Takes the first `count` bytes of the space that reserve() has returned last.
  void append(std::size_t count);

  /// Copies bytes. Fails: false, as reserve().
  bool append(ConstBytes bytes);

  /// Notes that the log does not grow any more; read() then takes its end for one.
  void end();

  /// Reads what has arrived: opens the log, and finds its segments. A log that grows begins with
  /// its header; only one that has ended may have lost it. Returns false if it is refused;
  /// refusal() then says why, for good.
  bool read();

  /// Forgets the segments that end before `tick` and are verified. A page that follows a room for
  /// hours calls it.
  void remove_before(Tick tick);

  [[nodiscard]] const std::optional<LogRefusal>& refusal() const { return refusal_; }

  /// Returns the header; nullptr until it has been read.
  [[nodiscard]] const Header* header() const { return index_ ? &index_->header() : nullptr; }

  /// Returns whether there is a game. The accessors below require it, except world().
  [[nodiscard]] bool is_open() const { return on_map_.game != nullptr; }

  [[nodiscard]] const GameTable& game() const { return *on_map_.game; }

  [[nodiscard]] const engine::Map& map() const { return *on_map_.map; }

  [[nodiscard]] const Segments& segments() const { return segments_; }

  /// Shows a tick. If the log lacks it, shows the last one before it, or the first; if what should
  /// lead to it cannot be stepped, the keyframe after it. Returns whether there is a world; false
  /// if `stopped` ended it before the tick.
  /// Cost: steps from the present tick, or from the last keyframe before `tick` that has ticks.
  bool seek(Tick tick);

  /// Shows the next tick. Returns false if there is none yet, or no more: the world stays.
  bool step();

  /// Returns the world that is shown; nullptr if there is none.
  [[nodiscard]] const engine::World* world() const;

  /// Returns what happened in the tick that is shown; nullptr if its world was not stepped.
  [[nodiscard]] const engine::TickReport* report() const;

  /// Returns the hash that was recorded for the tick that is shown. Requires: world().
  [[nodiscard]] std::uint64_t recorded_hash() const { return shown_->recorded_hash(); }

  /// Returns the hash of the world that is shown. Requires: world().
  [[nodiscard]] std::uint64_t hash() const { return shown_->hash(); }

  /// Verifies the next record. Returns false if there is none yet, or no more.
  bool verify();

  /// Returns the tick of the record that was verified last; 0 before the first.
  [[nodiscard]] Tick verified() const { return verifier_ ? verifier_->last_tick() : Tick{}; }

  /// Returns the number of bytes behind that record: at the end of a log, those of a cut one.
  [[nodiscard]] std::size_t rest() const {
    return size_ - (verifier_ ? verifier_->reader().offset() : 0);
  }

  /// Returns the verdict on what has been verified so far: once verify() is false at the end of a
  /// log, exactly that of verify().
  [[nodiscard]] VerifyResult verdict() const;

 private:
  bool open();
  bool refuse(LogRefusal refusal);
  void grow(Reader& reader, std::size_t dropped) const;
  void read_moved_bytes(std::size_t dropped);

  [[nodiscard]] bool stopped() const { return stopped_ && stopped_(); }

  [[nodiscard]] ConstBytes log() const { return ConstBytes{bytes_}.first(size_); }

  engine::Games games_;
  std::function<bool()> stopped_;
  VerifyOptions options_;

  std::vector<std::byte> bytes_;  ///< the log, then space
  std::size_t size_ = 0;          ///< of the log
  bool has_ended_ = false;

  std::optional<LogRefusal> refusal_;
  engine::GameOnMap on_map_;
  std::optional<Reader> index_;  ///< finds the segments
  Segments segments_;
  std::optional<LiveVerifier> verifier_;
  std::optional<Replayer> shown_;  ///< none before the first seek()
  Tick at_;                        ///< that is shown
};

}  // namespace tickbox::record
