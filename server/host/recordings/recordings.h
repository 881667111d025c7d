#pragma once
// The log of a room and everything of it that outlives the server: the recording, file after file,
// and the last seconds if an assertion fails.

#include "core/clock.h"
#include "core/ids.h"
#include "core/rng.h"
#include "engine/identity.h"
#include "server/host/base/options.h"
#include "server/host/recordings/crash_file.h"
#include "server/host/recordings/recording_files.h"
#include "server/match/match.h"
#include "server/recording/recorder.h"
#include "server/shard/log.h"
#include "server/shard/metrics.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

/// Returns one line if the options of recording exclude each other.
[[nodiscard]] std::optional<std::string> recording_contradiction(const Options& options);

/// The room that is recorded.
struct RecordedRoom {
  RoomId id;
  const Match& match;  ///< outlives the recordings
  engine::Identity identity;
  std::uint64_t seed = 0;        ///< of the match
  std::uint64_t rooms_open = 1;  ///< rooms of the server that are open, this one included
  std::string_view page{};       ///< of the game; empty: another room has written it
};

/// Returns the size at which a file of a room ends, 0 for no limit. `rooms_open`: as in
/// RecordedRoom.
[[nodiscard]] std::uint64_t part_bytes_of(const Options& options, std::uint64_t rooms_open);

/// Returns the directory of the recordings of this server, with its limit.
[[nodiscard]] RecordingFolderOptions recording_folder_of(const Options& options);

/// The objects that recordings use and do not own.
struct RecordingsParts {
  const WallClock& calendar;
  Entropy& entropy;  ///< for the salt
  Log& log;
  RecordingFolder& folder;
  std::shared_ptr<LateLogBytes> late = new_late_log_bytes();  ///< of all rooms
};

class Recordings {
 public:
  /// Opens what the options request. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Recordings>, std::string> open(
      const Options& options, const RecordingsParts& parts, const RecordedRoom& room);

  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;

  [[nodiscard]] Recorder& recorder() { return recorder_; }

  /// Writes the last seconds from now on if an assertion of this thread fails. Thread: the one that
  /// steps the room.
  void arm();

  /// Undoes arm(), in the same thread.
  void disarm() { crash_file_.reset(); }

  /// Returns the metrics of the files. Logs what has happened to the files since the last call, and
  /// a change of state. Never waits for the disk.
  [[nodiscard]] RecordingMetrics poll();

  /// Ends the recording; the recorder must have finished. Fails: with one line, if any accepted
  /// data is lost.
  std::expected<void, std::string> close();

  /// Removes old files, as after each closed file. Requires: close() has ended.
  void remove_old();

 private:
  Recordings(const RecordingsParts& parts, const Match& match, const record::Header& header,
             const ProgramNames& programs)
      : log_(parts.log),
        room_{header.room},
        programs_(programs),
        recorder_(match, header, parts.late) {}

  void log_notes();

  Log& log_;
  RoomId room_;
  const ProgramNames& programs_;
  std::unique_ptr<RecordingFiles> files_;  ///< none if nothing is recorded
  Recorder recorder_;
  std::string crash_path_;  ///< empty: none
  std::optional<CrashFile> crash_file_;
  bool degraded_ = false;  ///< the state that was logged last
};

}  // namespace tickbox::server
