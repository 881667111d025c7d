#pragma once
// The directory of recordings of a server: the names of its files, which of them this run has
// closed, and the limit on the bytes of all, across restarts.

#include "core/clock.h"
#include "core/log_event.h"
#include "os/files/disk.h"

#include <cstdint>
#include <deque>
#include <expected>
#include <mutex>
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

}  // namespace tickbox::server
