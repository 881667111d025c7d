#pragma once
// The files a room is recorded to: DIR/<start>-room<N>.tickbox, one after the other where that is
// wanted, made, closed and removed by a thread of its own.

#include "core/clock.h"
#include "core/entropy.h"
#include "os/files/disk.h"
#include "record/format.h"
#include "server/recording/recorder.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::server {

struct RecordingFilesOptions {
  std::string folder{};    ///< made where it is missing
  std::uint32_t keep = 0;  ///< files that are closed; older ones are removed. 0: all are kept
  Duration retry_interval = std::chrono::seconds{5};  ///< on a disk that has failed
  Duration patience = std::chrono::seconds{2};        ///< with a disk that does not answer
};

/// What a recording uses and does not own.
struct RecordingFilesParts {
  const WallClock& calendar;
  Entropy& entropy;  ///< for the salts; asked by the other thread
  os::Disk& disk = os::system_disk();
};

struct RecordingStatus {
  std::uint64_t bytes = 0;        ///< written, in all files
  std::uint64_t errors = 0;       ///< of writing and making files, in all
  std::uint64_t queue_bytes = 0;  ///< waiting
  bool degraded = false;          ///< a file cannot be written, or the next not made
  std::string path{};             ///< of the present file
  std::string reason{};           ///< why it is degraded, in one line
};

/// Something that somebody may want to read in the log.
struct RecordingNote {
  bool wrong = false;
  std::string line{};
};

/// Files are named by when they began; two never have the same name, whatever the calendar does.
/// Only files that it has made and closed itself are removed, the oldest first.
class RecordingFiles final : public RecordingStore {
 public:
  /// Makes the folder where it is missing, and the first file. `header`: of every part, but for
  /// salt and number.  Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<RecordingFiles>, std::string> open(
      const RecordingFilesOptions& options, const RecordingFilesParts& parts,
      const record::Header& header);

  /// Closes, and has nobody to tell of a failure.
  ~RecordingFiles() override;

  /// The one that open() made.
  [[nodiscard]] RecordingPart first() const;

  std::optional<RecordingPart> next() override;
  void retire() override;

  /// Thread: any. Never waits for the disk.
  [[nodiscard]] RecordingStatus status() const;

  /// What has happened since the last call; the oldest are left out where they are many.
  [[nodiscard]] std::vector<RecordingNote> take_notes();

  /// Paths of the files that were closed and are kept, the oldest first.  Requires: close() has
  /// ended.
  [[nodiscard]] std::vector<std::string> closed_files() const;

  /// Writes all that waits and closes every file.  Fails: with one line, when anything that was
  /// taken is lost.
  std::expected<void, std::string> close();

 private:
  struct State;
  explicit RecordingFiles(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

/// "<start>-room<N>.tickbox"; with a suffix "<start>-room<N>-<suffix>.tickbox".
[[nodiscard]] std::string recording_name(WallTime start, std::uint32_t room,
                                         std::string_view suffix = {});

}  // namespace tickbox::server
