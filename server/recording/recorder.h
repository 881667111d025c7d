#pragma once
// Connects a match with the log of its room: writes what entered each tick, and a keyframe whenever
// one is due. The last seconds stay in memory, with the request of the tick that is being stepped.

#include "core/bytes.h"
#include "engine/log/tick_log.h"
#include "record/format.h"
#include "record/room_log.h"
#include "server/match/match.h"
#include "server/recording/log_tail.h"

#include <memory>
#include <vector>

namespace tickbox::server {

class Recorder {
 public:
  /// `header`: of the room's run. `late`: as for LogTail. Requires: the match outlives this.
  Recorder(const Match& match, const record::Header& header,
           std::shared_ptr<LateLogBytes> late = new_late_log_bytes());

  /// Passes every record to `sink` too. Requires: no tick was stepped; the sink outlives this.
  void add(record::Sink& sink) { log_.add(sink); }

  /// Begins a segment with the present world, if one is due. A server that does so at its start
  /// leaves a recording even without a tick.
  void begin_segment_if_due();

  /// Does the same, and keeps the request of the next tick until stepped(). Call it before the
  /// match ticks. Cost: no allocation once warm.
  void stepping(const engine::TickRequest& request, const engine::TickOrigins& origins);

  /// Logs the tick that the match has written to its tick log last.
  void stepped();

  /// Returns whether a tick is being stepped.
  [[nodiscard]] bool is_in_step() const { return in_step_; }

  /// Ends the log. Nothing may follow.
  void finish();

  /// Returns the newest segments. Followers may begin in any thread.
  [[nodiscard]] std::shared_ptr<const LogTail> tail() const { return tail_; }

  /// Writes a recording of the last seconds. If a tick is being stepped, the recording ends with it
  /// as unfinished; otherwise it has the normal end. Returns false if the sink refused, or if no
  /// segment was begun. Allocates memory.
  [[nodiscard]] bool write_last_seconds(ByteSink& sink) const;

 private:
  [[nodiscard]] std::vector<std::byte> unfinished_tick() const;

  const Match& match_;
  record::Header header_;
  record::RoomLog log_;
  std::shared_ptr<LogTail> tail_;
  std::vector<std::byte> keyframe_;
  engine::TickRequest request_;  ///< of the tick that is being stepped
  engine::TickOrigins origins_;  ///< of that request
  bool in_step_ = false;
};

}  // namespace tickbox::server
