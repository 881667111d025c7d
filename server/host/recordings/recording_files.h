#pragma once
// The files of recordings: the directory that has those of all rooms, and the writer of a room's
// recording.
//
// The directory knows the names of its files, which of them this run has closed, and the limit on
// the bytes of all, across restarts. The writer takes the log into files,
// DIR/<start>-room<N>.tickbox, one after the other if requested. The thread of its sink writes,
// creates, closes and removes them.

#include "core/clock.h"
#include "core/log_event.h"
#include "os/files/disk.h"
#include "os/files/file_sink.h"
#include "record/format.h"
#include "record/room_log.h"

#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server {

struct RecordingFolderOptions {
  std::string path{};
  /// Limit on the bytes of all files in the folder; the oldest recordings of this server are
  /// removed, also those of earlier runs. 0: no limit
  std::uint64_t bytes_max = 0;
  std::uint64_t server = 0;  ///< record::name_hash() of this server
};

/// An event of the recordings, for the log.
struct RecordingNote {
  Severity severity = Severity::Info;
  LogEvent event;
};

/// What one call of RecordingFolder::keep() has done.
struct LimitKept {
  std::vector<RecordingNote> notes{};
  std::uint64_t errors = 0;  ///< failed disk calls: to list the folder, and to remove files
};

/// The name of a page beside the recordings: view-<game>-<hash of the rules>.html.
inline constexpr std::string_view kPagePrefix = "view-";
inline constexpr std::string_view kPageSuffix = ".html";

/// Counts every regular file of the folder but the pages. Removes only files that have the name of
/// a recording, whose header names this server, and that no process writes. Shared by all rooms of
/// a server. Thread: any.
class RecordingFolder {
 public:
  /// Requires: `disk` outlives the object.
  explicit RecordingFolder(RecordingFolderOptions options, os::Disk& disk = os::system_disk())
      : options_(std::move(options)), disk_(disk) {}

  [[nodiscard]] const std::string& path() const { return options_.path; }

  [[nodiscard]] os::Disk& disk() const { return disk_; }

  /// Creates the folder if it is missing. Fails: with one line.
  [[nodiscard]] std::expected<void, std::string> create() const;

  /// Notes that a recording of this run is closed.
  void add_closed(std::string path);

  /// Returns the recordings of this run that are closed and kept, in the order in which they were
  /// closed: the newest 1,000. Never waits for the disk.
  [[nodiscard]] std::vector<std::string> closed() const;

  /// Removes the oldest recordings until `reserve` more bytes fit within the limit, or no more can
  /// be removed. A file that cannot be removed is not tried again. Cost: lists the folder, and
  /// reads the headers of files that may be removed; may wait for the disk.
  [[nodiscard]] LimitKept keep(std::uint64_t reserve);

 private:
  static constexpr std::size_t kListed = 1'000;

  [[nodiscard]] bool may_remove(const std::string& path) const;
  [[nodiscard]] bool remove(const std::string& path, LimitKept& kept);

  const RecordingFolderOptions options_;
  os::Disk& disk_;

  std::mutex keeping_;            ///< guards what follows, and orders the calls of keep()
  std::set<std::string> failed_;  ///< paths that could not be removed
  bool is_over_ = false;          ///< the folder was over its limit when it was last checked

  mutable std::mutex mutex_;  ///< guards what follows
  std::deque<std::string> closed_;
};

/// Returns "<start>-room<N>.tickbox", or with a suffix "<start>-room<N>-<suffix>.tickbox".
[[nodiscard]] std::string recording_name(WallTime start, std::uint32_t room,
                                         std::string_view suffix = {});

/// Returns whether a file's name is one that recording_name() gives without a suffix.
[[nodiscard]] bool is_recording_name(const std::string& name);

struct RecordingFilesOptions {
  /// A file ends at this many bytes; the limit of the folder leaves space for it. 0: no limit
  std::uint64_t part_bytes = 0;
  std::uint32_t part_ticks = 0;  ///< a file ends after this many ticks; 0: no limit
  std::string page_name{};       ///< of `page`, in the folder
  std::string_view page{};       ///< a page for browsers that shows the recordings; empty: none
  Duration retry_interval = std::chrono::seconds{5};  ///< time between attempts on a failed disk
  Duration patience = std::chrono::seconds{2};  ///< time until a silent disk counts as stalled
};

struct RecordingStatus {
  std::uint64_t bytes = 0;        ///< bytes written, in all files
  std::uint64_t errors = 0;       ///< failed disk calls, in total
  std::uint64_t queue_bytes = 0;  ///< bytes waiting to be written
  bool degraded = false;          ///< a file cannot be written, or the next not created
  std::string path{};             ///< path of the present file
  std::string reason{};           ///< why it is degraded, in one line
};

/// The recording files of a room, named by the time when they began. Two never have the same name,
/// whatever the calendar does. A file ends at the limits of the options and after a match: then the
/// next one begins with a segment, as soon as it is created. Until that, and while the present one
/// cannot be written, the recording stays in the present one. After each closed file the folder
/// keeps its limit. The page is written once: a file that has its name is left as it is.
class RecordingFiles final : public record::Sink {
 public:
  /// Creates the folder if it is missing, and the first file. `header`: of every file, except its
  /// number. Requires: `folder` and `calendar` outlive the object. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<RecordingFiles>, std::string> open(
      const RecordingFilesOptions& options, RecordingFolder& folder, const WallClock& calendar,
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
  void remove_old() { keep_limit(); }

 private:
  /// A file that is created, and not in use yet.
  struct NextFile {
    std::string path;
    std::unique_ptr<os::AppendFile> file;
  };

  RecordingFiles(const RecordingFilesOptions& options, RecordingFolder& folder,
                 const WallClock& calendar, const record::Header& header)
      : options_(options),
        folder_(folder),
        calendar_(calendar),
        room_(header.room),
        header_(header) {}

  // Thread of these: that of the log.

  [[nodiscard]] bool is_due() const;
  [[nodiscard]] bool may_change() const;
  void request_next();
  void change_file();
  void begin_file();

  // Thread of these: that of the sink.

  [[nodiscard]] std::expected<NextFile, std::string> make();
  void make_next();
  void write_page();
  void file_closed(const os::ClosedFile& file);
  void keep_limit();
  void queue_note(RecordingNote note);

  const RecordingFilesOptions options_;
  RecordingFolder& folder_;
  const WallClock& calendar_;
  const std::uint32_t room_;
  WallTime last_start_{};  ///< used by open(), then by the thread of the sink

  // Used only by the log's thread.
  record::Header header_;                ///< of the present file
  std::optional<record::LogFile> file_;  ///< the present one; none once it is closed
  std::optional<Tick> began_;            ///< the tick with which the present file begins
  Tick last_;                            ///< the last tick of the log
  bool match_has_ended_ = false;         ///< in the present file
  record::LogFileStats past_;            ///< statistics of the earlier files

  mutable std::mutex mutex_;  ///< guards what follows
  std::string path_;          ///< of the present file; empty once it is closed
  bool is_requested_ = false;
  std::optional<NextFile> next_;
  std::string making_failed_;  ///< why the next file cannot be created; empty if it can
  Instant retry_at_;           ///< when it is tried again
  bool is_closing_ = false;
  std::uint64_t errors_ = 0;  ///< of creating, listing and removing files
  std::vector<RecordingNote> notes_;

  std::unique_ptr<os::FileSink> sink_;  ///< its thread uses the others
};

}  // namespace tickbox::server
