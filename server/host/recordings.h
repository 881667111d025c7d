#pragma once
// Everything of a room that outlives its server: the recording, file after file, and the last
// seconds, should an assertion fail.

#include "core/clock.h"
#include "core/entropy.h"
#include "server/host/crash_file.h"
#include "server/host/options.h"
#include "server/host/recording_files.h"
#include "server/recording/black_box.h"
#include "server/recording/recorder.h"
#include "server/room/room.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::server {

/// One line when the options of recording do not go together.
[[nodiscard]] std::optional<std::string> recording_contradiction(const Options& options);

/// What recordings use and do not own.
struct RecordingsParts {
  const WallClock& calendar;
  Entropy& entropy;  ///< also asked by another thread
  Log& log;
};

class Recordings {
 public:
  /// Opens what the options ask for, of a room whose world came of `seed`.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Recordings>, std::string> open(
      const Options& options, const RecordingsParts& parts, const Room& room, std::uint64_t seed);

  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  /// None where nothing is recorded.
  [[nodiscard]] Recorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

  [[nodiscard]] BlackBox& black_box() { return black_box_; }

  /// How the files do, and a log line whenever that has changed. Never waits for the disk.
  [[nodiscard]] RecordingMetrics look();

  /// Paths of the files that were closed and are kept, the oldest first.  Requires: close() has
  /// ended.
  [[nodiscard]] std::vector<std::string> closed_files() const;

  /// Ends the recording.  Fails: with one line, when anything that was taken is lost.
  std::expected<void, std::string> close();

 private:
  Recordings(const RecordingsParts& parts, const Room& room, std::uint32_t tick_rate);
  void log_notes();

  Log& log_;
  std::unique_ptr<RecordingFiles> files_;
  std::optional<Recorder> recorder_;
  BlackBox black_box_;
  std::optional<CrashFile> crash_file_;
  bool degraded_ = false;  ///< as it was logged last
};

}  // namespace tickbox::server
