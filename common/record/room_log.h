#pragma once
// The log of a room: what entered each tick, and the whole world from time to time, framed once as
// records. Files, memory and followers are sinks of the same bytes.
//
// A segment is a keyframe and the records until the next one. Segments have numbers that rise
// through the whole run of the room, so a sink may begin at any of them. A sink that has lost a
// record cannot continue in the same segment; it asks for another, as one does that begins a file.
// The log then leaves out a number: that is how a reader tells ticks that a sink has lost from
// damage.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/log/tick_log.h"
#include "record/compression.h"
#include "record/format.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tickbox::record {

/// The time between keyframes, unless all ticks between them are quiet. One damaged byte costs at
/// most this much play, and a seek steps at most this much of it.
inline constexpr std::uint32_t kKeyframeSeconds = 5;

/// The time between keyframes if all ticks since the last one were quiet or idle.
inline constexpr std::uint32_t kQuietKeyframeSeconds = 60;

/// Records per second, each with a batch of ticks. A server that is killed loses at most one batch,
/// or the quiet or idle ticks of one record, in addition to the data that waits in a sink.
inline constexpr std::uint32_t kBatchesPerSecond = 10;

/// The time that one record covers if its ticks are quiet or idle: nothing entered, in an empty
/// room.
inline constexpr std::uint32_t kQuietSeconds = 1;

/// A destination of a log's records. Thread: that of the log.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Appends the next record, or loses it. Returns at once. `record` is valid during the call.
  virtual void append(const LogRecord& record) = 0;

  /// Returns whether this sink can only go on, or would like to, at a new segment.
  [[nodiscard]] virtual bool wants_segment() const { return false; }

  /// Notes that the game has ended its match in the last tick.
  virtual void match_ended() {}
};

/// The compression of keyframes. Only the golden match is uncompressed: builds for other
/// processors, without zstd, read it.
enum class Compression : std::uint8_t { None, Zstd };

struct RoomLogOptions {
  Compression compression = Compression::Zstd;
  /// The bytes of a keyframe and of a tick for which memory is reserved; longer ones take more. As
  /// engine::keyframe_bytes_of() and engine::tick_bytes_of() return them.
  std::size_t keyframe_bytes = 0;
  std::size_t tick_bytes = 0;
  /// Returns the hash of the room's present state. The log asks for it when a stretch of idle ticks
  /// ends that came without hashes.
  std::function<std::uint64_t()> present_hash{};
};

/// After each tick, and once before the first:
///
///     log.tick(entry);                                           // not before the first
///     if (log.needs_keyframe()) log.keyframe(tick, bytes);       // of the room's tick log
///
/// Cost: no allocation once warm.
class RoomLog {
 public:
  /// `header`: of the room's run; what it says of a file is left out. Requires: as
  /// encode_header().
  explicit RoomLog(const Header& header, const RoomLogOptions& options = {});

  /// Passes every record from now on to `sink` too. Requires: the sink outlives the log.
  void add(Sink& sink) { sinks_.push_back(&sink); }

  [[nodiscard]] const Header& header() const { return header_; }

  /// Returns true at the start, then every kKeyframeSeconds, or every kQuietKeyframeSeconds while
  /// all ticks are quiet or idle; earlier if a sink wants a segment, but for that at most once a
  /// second.
  [[nodiscard]] bool needs_keyframe() const;

  /// Flushes, and begins a segment with `world`: the world after `tick`, as a keyframe of the
  /// engine. Requires: `tick` is the last tick that was passed, if there was one; at most
  /// kPayloadBytesMax − kKeyframeFrameBytes bytes.
  void keyframe(Tick tick, ConstBytes world);

  /// Adds a tick. Flushes when a batch is full.
  /// Requires: a keyframe() before the first; consecutive ticks; end_idle() before a step that
  /// follows an idle tick without a hash.
  void tick(const engine::EncodedTick& entry);

  /// Flushes if the ticks that were gathered are idle: the world is still theirs.
  void end_idle();

  /// Passes the ticks that were gathered to the sinks.
  void flush();

  /// Tells the sinks that the match has ended in the last tick.
  void match_ended();

  /// Passes to `sink` alone the ticks that were gathered; then, if given, what was to enter the
  /// next tick, whose step never ended. Changes nothing here. Allocates memory.
  /// Requires: a keyframe() before.
  void pass_rest(Sink& sink, std::optional<ConstBytes> unfinished) const;

 private:
  [[nodiscard]] bool is_asked() const;
  void reserve(std::size_t world_bytes);
  [[nodiscard]] RecordHead gathered_head() const;
  void frame_gathered(std::vector<std::byte>& record) const;
  void pass(RecordHead head);

  Header header_;
  std::array<std::byte, kFileHeaderBytes> header_bytes_;
  Chain chain_;
  RoomLogOptions options_;
  std::vector<Sink*> sinks_;
  Compressor compressor_;
  std::uint32_t ticks_per_batch_;
  std::uint32_t ticks_per_quiet_;

  std::uint64_t checksum_ = 0;  ///< of the last record
  bool any_segment_ = false;    ///< what follows is set
  Tick last_tick_;              ///< last tick seen
  Tick keyframe_tick_;
  std::uint32_t segment_ = 0;  ///< number of the present segment
  std::optional<Tick> asked_;  ///< when a segment was begun last because a sink wanted it

  // The ticks that are being gathered: either a batch, or a stretch of quiet or of idle ones.
  std::uint32_t gathered_ = 0;
  RecordType gathers_ = RecordType::Ticks;
  bool segment_is_quiet_ = true;  ///< all ticks since the last keyframe were quiet or idle
  std::optional<std::uint64_t> stretch_hash_;  ///< state hash after the last of a stretch
  std::vector<std::byte> batch_;

  std::vector<std::byte> record_;  ///< the record that is being put together
};

// One recording file, as a sink of a log: the records from a keyframe on, then a trailer.

struct LogFileStats {
  std::uint64_t bytes = 0;  ///< bytes of the file header and of the records that the byte sink took
  std::uint64_t records_refused = 0;
  std::uint64_t ticks_recorded = 0;
  std::uint64_t ticks_lost = 0;  ///< ticks of records that were refused or could not follow
  std::uint32_t keyframes = 0;
  std::uint32_t gaps = 0;

  void add(const LogFileStats& other);
};

/// Each call of the byte sink's write() passes one whole record, the first with the file header
/// before it. A refused record is lost, and all after it until a segment whose number shows that
/// something is missing.
/// Invariant: the data that the byte sink took is always a readable recording.
/// Cost: no allocation between the first record and finish().
class LogFile final : public Sink {
 public:
  /// Records from the next keyframe on. `header`: of the log, with the file's `part`. Requires: the
  /// byte sink outlives this.
  LogFile(ByteSink& sink, const Header& header);

  void append(const LogRecord& record) override;

  /// Returns whether ticks are being lost.
  [[nodiscard]] bool wants_segment() const override { return state_ == State::Broken; }

  /// Writes the trailer. No other call may follow. A file that ends with an unfinished tick has no
  /// trailer. Fails: false, when the byte sink refused the end: the file then ends early.
  bool finish();

  [[nodiscard]] const LogFileStats& stats() const { return stats_; }

 private:
  enum class State : std::uint8_t {
    Waiting,    ///< for the first keyframe
    Broken,     ///< ticks are lost
    Recording,  ///< a segment is open
    Finished,
  };

  void keyframe(const LogRecord& record);
  void ticks(const LogRecord& record);
  bool open(const LogRecord& keyframe);
  bool write(ConstBytes bytes);

  ByteSink& sink_;
  Header header_;
  Chain chain_;
  State state_ = State::Waiting;
  bool is_open_ = false;        ///< the byte sink has taken the file header and a keyframe
  std::uint32_t segment_ = 0;   ///< number of the last keyframe that the byte sink took
  Tick keyframe_tick_;          ///< its tick
  Tick last_tick_;              ///< last tick in the data that the byte sink took
  bool has_lost_ = false;       ///< ticks were lost since then
  bool has_end_ = false;        ///< an unfinished tick or the trailer was written
  std::uint64_t checksum_ = 0;  ///< of the last record that the byte sink took
  LogFileStats stats_;
};

}  // namespace tickbox::record
