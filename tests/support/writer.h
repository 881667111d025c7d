#pragma once
// A log with one file, as most tests need it.

#include "core/bytes.h"
#include "record/room_log.h"

#include <optional>

namespace tickbox::tests {

/// As RoomLog and LogFile say. A new one does what a server does that begins to record.
class Writer {
 public:
  Writer(ByteSink& sink, const record::Header& header, const record::RoomLogOptions& options = {})
      : log_(header, options), file_(sink, header) {
    log_.add(file_);
  }

  [[nodiscard]] bool needs_keyframe() const { return log_.needs_keyframe(); }

  void keyframe(Tick tick, ConstBytes world) { log_.keyframe(tick, world); }

  void tick(const engine::EncodedTick& entry) { log_.tick(entry); }

  /// Ends with a tick whose step never ended. Returns whether the sink took all of it.
  bool unfinished(ConstBytes bytes) {
    log_.pass_rest(file_, bytes);
    return file_.finish() && file_.stats().records_refused == 0;
  }

  bool finish() {
    log_.flush();
    return file_.finish();
  }

  [[nodiscard]] record::RoomLog& log() { return log_; }

  [[nodiscard]] const record::LogFileStats& stats() const { return file_.stats(); }

 private:
  record::RoomLog log_;
  record::LogFile file_;
};

}  // namespace tickbox::tests
