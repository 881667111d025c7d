#pragma once
// One recording file, as a sink of a log: the records from a keyframe on, then a trailer.

#include "core/bytes.h"
#include "core/ids.h"
#include "record/format.h"
#include "record/room_log.h"

#include <cstdint>

namespace tickbox::record {

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
