#pragma once
// Turns a running match into records for a sink that may refuse them; the match never waits.

#include "core/bytes.h"
#include "core/ids.h"
#include "game/tick_log.h"
#include "record/compression.h"
#include "record/format.h"
#include "record/recorded.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::record {

/// A keyframe is due this often: what one damaged byte costs at most, and the longest way to a tick
/// when seeking.
inline constexpr std::uint32_t kKeyframeSeconds = 5;

/// The same where nothing happened since the last one.
inline constexpr std::uint32_t kQuietKeyframeSeconds = 60;

/// Ticks gathered into one record cover this much time: what a killed recorder loses at most,
/// beside the sink's own wait.
inline constexpr std::uint32_t kBatchesPerSecond = 10;

/// Ticks that nothing entered, in a room with nobody in it, are gathered for longer.
inline constexpr std::uint32_t kQuietSeconds = 1;

/// Whether keyframes are compressed. Only the golden match is not: builds for other processors,
/// where zstd is missing, read it.
enum class Compression : std::uint8_t { None, Zstd };

struct WriterStats {
  std::uint64_t records = 0;  ///< taken by the sink
  std::uint64_t bytes = 0;    ///< of them and the file header
  std::uint64_t records_refused = 0;
  std::uint64_t ticks_recorded = 0;
  std::uint64_t ticks_lost =
      0;  ///< not in the recording: gathered or stepped while the sink refused
  std::uint32_t keyframes = 0;
  std::uint32_t gaps = 0;
};

/// One recording of one room. After each tick, and once before the first:
///
///     writer.tick(entry);                                              // not before the first
///     if (writer.needs_keyframe()) writer.keyframe(tick, bytes);       // of the room's tick log
///
/// Each call of the sink's write() brings the file header or one whole record. A refused record is
/// gone and with it all ticks until the next keyframe, which then says so ("gap before").
/// Invariant: what the sink took is always a readable recording.
/// Cost: no allocation once warm.
class Writer {
 public:
  /// Gives the file header to the sink at once.  Requires: as encode_header(); the sink outlives
  /// the writer.
  Writer(ByteSink& sink, const Header& header, Compression compression = Compression::Zstd);

  /// True at the start, every kKeyframeSeconds or, of a room that nobody is in,
  /// kQuietKeyframeSeconds, and while ticks are lost, once per batch of them.
  [[nodiscard]] bool needs_keyframe() const;

  /// Flushes, and begins a segment with the world after `tick`, as the tick log has it.
  /// Requires: `tick` is that of the last tick() call, if there was one.
  void keyframe(Tick tick, ConstBytes world);

  /// Adds a tick. Flushes when a batch is full.
  /// Requires: a keyframe() before the first; ticks one after the other.
  void tick(const game::TickEntry& entry);

  /// Adds all ticks up to `last`, in which the room was quiet, as one record.
  /// Requires: as tick(); `last` is after the last tick, by at most kTicksPerRecordMax.
  void quiet(Tick last, std::uint64_t state_hash);

  /// Ticks up to `last` are not to be had: the next keyframe says so.
  /// Requires: a keyframe() before; `last` is after the last tick.
  void lose(Tick last);

  /// Flushes, and writes what was to enter `tick`, whose step never ended. Nothing may follow.
  /// False when ticks before it are lost, or the sink refused: the file then ends early.
  /// Requires: as tick().
  bool unfinished(Tick tick, ConstBytes bytes);

  /// Flushes, and writes the trailer. Nothing may follow. False when the sink refused: the file
  /// then ends early.
  bool finish();

  [[nodiscard]] const WriterStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t {
    Unopened,   ///< the sink has not taken the file header
    Broken,     ///< no keyframe stands, or a record after it was refused: ticks are lost
    Recording,  ///< in a segment
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
  Compression compression_;
  Compressor compressor_;
  std::uint32_t ticks_per_batch_;
  std::uint32_t ticks_per_quiet_;

  std::uint64_t checksum_ = 0;           ///< of the last record that the sink took
  bool any_tick_ = false;                ///< last_tick_ means something
  Tick last_tick_;                       ///< seen, recorded or not
  Tick last_recorded_;                   ///< the last tick in what the sink took
  Tick keyframe_tick_;                   ///< of the last keyframe that the sink took
  std::uint32_t ticks_until_retry_ = 0;  ///< while Unopened or Broken
  bool gap_ = false;  ///< ticks were lost since the last record that the sink took

  // The ticks that are being gathered: either a batch, or a stretch of quiet ones.
  std::uint32_t gathered_ = 0;
  bool is_quiet_ = false;
  bool segment_is_quiet_ = true;  ///< so were all ticks since the last keyframe
  std::uint64_t quiet_hash_ = 0;  ///< after the last of them
  std::vector<std::byte> batch_;

  std::vector<KeyframePlace> index_;
  std::uint32_t index_stride_ = 1;  ///< every so many segments have a place in it

  std::vector<std::byte> record_;  ///< the record that is being put together
  WriterStats stats_;
};

}  // namespace tickbox::record
