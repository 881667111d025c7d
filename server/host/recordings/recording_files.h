#pragma once
// The files to which the log of a room goes: DIR/<start>-room<N>.tickbox, one after the other if
// requested. A thread of its own creates, closes and removes them.

#include "core/clock.h"
#include "core/log_event.h"
#include "os/files/disk.h"
#include "os/files/file_sink.h"
#include "record/format.h"
#include "record/log_file.h"
#include "record/room_log.h"
#include "server/host/recordings/closed_recordings.h"
#include "server/host/recordings/recording_limit.h"

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tickbox::server {

struct RecordingFilesOptions {
  std::string folder{};  ///< created if missing
  /// Limit on the bytes of all files in the folder; the oldest recordings of this server are
  /// removed, also those of earlier runs. 0: no limit
  std::uint64_t bytes_max = 0;
  /// A file ends at this many bytes; the limit of the folder leaves space for it. 0: no limit
  std::uint64_t part_bytes = 0;
  std::uint32_t part_ticks = 0;  ///< a file ends after this many ticks; 0: no limit
  std::string page_name{};       ///< of `page`, in the folder
  std::string_view page{};       ///< a page for browsers that shows the recordings; empty: none
  Duration retry_interval = std::chrono::seconds{5};  ///< time between attempts on a failed disk
  Duration patience = std::chrono::seconds{2};  ///< time until a silent disk counts as stalled
};

/// The objects that a recording uses and does not own.
struct RecordingFilesParts {
  const WallClock& calendar;
  ClosedRecordings& closed;  ///< shared by the rooms of the server
  os::Disk& disk = os::system_disk();
};

struct RecordingStatus {
  std::uint64_t bytes = 0;        ///< bytes written, in all files
  std::uint64_t errors = 0;       ///< failed disk calls, in total
  std::uint64_t queue_bytes = 0;  ///< bytes waiting to be written
  bool degraded = false;          ///< a file cannot be written, or the next not created
  std::string path{};             ///< path of the present file
  std::string reason{};           ///< why it is degraded, in one line
};

/// An event of the recording, for the log.
struct RecordingNote {
  Severity severity = Severity::Info;
  LogEvent event;
};

/// The recording files of a room, named by the time when they began. Two never have the same name,
/// whatever the calendar does. A file ends at the limits of the options and after a match: then the
/// next one begins with a segment, as soon as it is created. Until that, and while the present one
/// cannot be written, the recording stays in the present one. After each closed file it removes
/// those that ClosedRecordings does not keep, and for `bytes_max` those that RecordingLimit may
/// remove. The page is written once: a file that has its name is left as it is.
class RecordingFiles final : public record::Sink {
 public:
  /// Creates the folder if it is missing, and the first file. `header`: of every file, except its
  /// number. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<RecordingFiles>, std::string> open(
      const RecordingFilesOptions& options, const RecordingFilesParts& parts,
      const record::Header& header);

  /// Closes the files; ignores errors (call `close()` to get them).
  ~RecordingFiles() override;

  // Thread of these: that of the log. They never wait for the disk.

  void append(const record::LogRecord& record) override;
  [[nodiscard]] bool wants_segment() const override;
  void match_ended() override;

  /// Writes the end of the present file. Only close() may follow.
  void finish();

  /// Returns the statistics of all files together.
  [[nodiscard]] record::LogFileStats stats() const;

  /// Returns the present status. Thread: any. Never waits for the disk.
  [[nodiscard]] RecordingStatus status() const;

  /// Returns the events since the last call; if there are too many, the oldest are left out.
  [[nodiscard]] std::vector<RecordingNote> consume_notes();

  /// Writes everything that waits and closes every file; removes none. Fails: with one line, if any
  /// accepted data is lost.
  std::expected<void, std::string> close();

  /// Removes old files, as after each closed file. Requires: close() has ended.
  void remove_old();

 private:
  struct RecordingFile {
    std::string path;
    std::unique_ptr<os::FileSink> sink;
    std::optional<record::LogFile> file;  ///< used by the log's thread alone

    [[nodiscard]] bool is_written() const { return sink->stats().queue_bytes == 0; }

    /// Returns why the file is not being written at present; empty if it is.
    [[nodiscard]] std::string hindrance() const;
  };

  RecordingFiles(const RecordingFilesOptions& options, const RecordingFilesParts& parts,
                 const record::Header& header);

  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool may_change() const;
  void request_next();
  void change_file();
  [[nodiscard]] std::expected<std::unique_ptr<RecordingFile>, std::string> make();
  void run();
  void wait(std::unique_lock<std::mutex>& lock);
  void write_page(std::unique_lock<std::mutex>& lock);
  void make_next(std::unique_lock<std::mutex>& lock);
  void close_retired(std::unique_lock<std::mutex>& lock);
  void count(const RecordingFile& part, const std::expected<void, std::string>& closed_well);
  void remove_excess(std::unique_lock<std::mutex>& lock);
  void keep_limit(std::unique_lock<std::mutex>& lock);
  void record_removal(const std::string& path, bool removed);
  void queue_note(RecordingNote note);

  const RecordingFilesOptions options_;
  const RecordingFilesParts parts_;
  record::Header header_;
  std::thread thread_;
  std::stop_source closing_;

  // Used only by the code that creates and closes files: open(), then the thread, then close().
  std::uint32_t made_ = 0;
  WallTime last_start_{};
  RecordingLimit limit_;
  bool is_over_ = false;  ///< the folder was over its limit when it was last checked

  // Used only by the log's thread.
  std::optional<Tick> began_;     ///< the tick with which the present file begins
  Tick last_;                     ///< the last tick of the log
  bool match_has_ended_ = false;  ///< in the present file
  record::LogFileStats past_;     ///< statistics of the earlier files

  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable_any wake_;
  bool wanted_ = false;
  std::unique_ptr<RecordingFile> present_;  ///< changed by the log's thread alone
  std::unique_ptr<RecordingFile> ready_;    ///< created, and not in use yet
  std::unique_ptr<RecordingFile> retired_;  ///< finished, and not closed yet
  std::string making_failed_;  ///< why the next file cannot be created; empty if it can
  Instant retry_at_;           ///< when it is tried again
  std::uint64_t bytes_ = 0;    ///< bytes of closed files
  std::uint64_t errors_ = 0;   ///< of closed files, and of creating, listing and removing files
  std::string loss_;           ///< the first failure to close a file
  std::vector<RecordingNote> notes_;
};

/// Returns "<start>-room<N>.tickbox", or with a suffix "<start>-room<N>-<suffix>.tickbox".
[[nodiscard]] std::string recording_name(WallTime start, std::uint32_t room,
                                         std::string_view suffix = {});

}  // namespace tickbox::server
