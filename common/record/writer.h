#pragma once
// Turns a running match into records for a sink that may refuse them; the match never waits.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/log/tick_log.h"
#include "record/compression.h"
#include "record/format.h"
#include "record/recorded.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::record {

/// The time between keyframes, unless all ticks between them are quiet. One damaged byte costs at
/// most this much play, and a seek steps at most this much of it.
inline constexpr std::uint32_t kKeyframeSeconds = 5;

/// The time between keyframes if all ticks since the last one were quiet.
inline constexpr std::uint32_t kQuietKeyframeSeconds = 60;

/// Records per second, each with a batch of ticks. A killed recorder loses at most one batch, or
/// the quiet ticks of one record, in addition to the data that waits in the sink.
inline constexpr std::uint32_t kBatchesPerSecond = 10;

/// The time that one record covers if its ticks are quiet: nothing entered, in an empty room.
inline constexpr std::uint32_t kQuietSeconds = 1;

/// The compression of keyframes. Only the golden match is uncompressed: builds for other
/// processors, without zstd, read it.
enum class Compression : std::uint8_t { None, Zstd };

struct WriterOptions {
  Compression compression = Compression::Zstd;
  /// The bytes of a keyframe and of a tick for which memory is reserved; longer ones take more. As
  /// engine::keyframe_bytes_of() and engine::tick_bytes_of() return them.
  std::size_t keyframe_bytes = 0;
  std::size_t tick_bytes = 0;
};

struct WriterStats {
  std::uint64_t records = 0;  ///< records that the sink took
  std::uint64_t bytes = 0;    ///< bytes of those records and of the file header
  std::uint64_t records_refused = 0;
  std::uint64_t ticks_recorded = 0;
  /// The ticks missing from the recording: gathered or stepped while the sink refused, or lost by
  /// lose().
  std::uint64_t ticks_lost = 0;
  std::uint32_t keyframes = 0;
  std::uint32_t gaps = 0;
};

/// One recording of one room. After each tick, and once before the first:
///
///     writer.tick(entry);                                              // not before the first
///     if (writer.needs_keyframe()) writer.keyframe(tick, bytes);       // of the room's tick log
///
/// Each call of the sink's write() passes the file header or one whole record. A refused record is
/// lost with all ticks until the next keyframe, which is then marked "gap before".
/// Invariant: the data that the sink took is always a readable recording.
/// Cost: no allocation once warm.
class Writer {
 public:
  /// Writes the file header to the sink at once. Requires: as encode_header(); the sink outlives
  /// the writer.
  Writer(ByteSink& sink, const Header& header, const WriterOptions& options = {});

  /// Returns true at the start, then every kKeyframeSeconds, or every kQuietKeyframeSeconds while
  /// all ticks are quiet. While ticks are lost, returns true once per batch of them.
  [[nodiscard]] bool needs_keyframe() const;

  /// Flushes, and begins a segment with `world`: the world after `tick`, as a keyframe of the
  /// engine. Requires: `tick` is the last tick that was passed, if there was one; at most
  /// kPayloadBytesMax − kKeyframeFrameBytes bytes.
  void keyframe(Tick tick, ConstBytes world);

  /// Adds a tick. Flushes when a batch is full.
  /// Requires: a keyframe() before the first; consecutive ticks.
  void tick(const engine::TickEntry& entry);

  /// Adds all ticks up to `last` as one record; all of them were quiet.
  /// Requires: as tick(); `last` is after the last tick, by at most kTicksPerRecordMax.
  void quiet(Tick last, std::uint64_t state_hash);

  /// Counts the ticks up to `last` as lost; the next keyframe records a gap.
  /// Requires: a keyframe() before; `last` is after the last tick.
  void lose(Tick last);

  /// Flushes, and writes what was to enter `tick`, whose step never ended. No other call may
  /// follow.
  /// Fails: false, when ticks before it are lost or the sink refused: the file then ends early.
  /// Requires: as tick().
  bool unfinished(Tick tick, ConstBytes bytes);

  /// Flushes, and writes the trailer. No other call may follow.
  /// Fails: false, when the sink refused the trailer or took no file header: the file then ends
  /// early.
  bool finish();

  [[nodiscard]] const WriterStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t {
    Unopened,   ///< the sink has not taken the file header
    Broken,     ///< ticks are lost: no keyframe was written, or a record after it was refused
    Recording,  ///< a segment is open
    Finished,
  };

  bool open();
  void make_room(std::size_t world_bytes);
  void begin_record();
  bool write_record(RecordHead head);
  void note_place(Tick tick, std::uint64_t offset);
  void flush();
  void lose_ticks(std::uint32_t count);

  ByteSink& sink_;
  Header header_;
  Chain chain_;
  State state_ = State::Unopened;
  WriterOptions options_;
  Compressor compressor_;
  std::uint32_t ticks_per_batch_;
  std::uint32_t ticks_per_quiet_;

  std::uint64_t checksum_ = 0;           ///< checksum of the last record that the sink took
  bool any_tick_ = false;                ///< last_tick_ is set
  Tick last_tick_;                       ///< last tick seen, recorded or not
  Tick last_recorded_;                   ///< last tick in the data that the sink took
  Tick keyframe_tick_;                   ///< tick of the last keyframe that the sink took
  std::uint32_t ticks_until_retry_ = 0;  ///< while Unopened or Broken
  bool gap_ = false;  ///< ticks were lost since the last record that the sink took

  // The ticks that are being gathered: either a batch, or a stretch of quiet ones.
  std::uint32_t gathered_ = 0;
  bool is_quiet_ = false;
  bool segment_is_quiet_ = true;  ///< all ticks since the last keyframe were quiet
  std::uint64_t quiet_hash_ = 0;  ///< state hash after the last of them
  std::vector<std::byte> batch_;

  std::vector<KeyframePlace> index_;
  std::uint32_t index_stride_ = 1;  ///< index_ has one place per this many segments

  std::vector<std::byte> record_;  ///< the record that is being put together
  WriterStats stats_;
};

}  // namespace tickbox::record
