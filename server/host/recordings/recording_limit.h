#pragma once
// The limit on the bytes of a directory of recordings, across restarts of its servers.

#include "os/files/disk.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::server {

struct RecordingLimitOptions {
  std::string folder{};
  std::uint64_t bytes_max = 0;  ///< of all files in the folder
  std::uint64_t server = 0;     ///< record::name_hash() of this server
};

/// The result of one call of RecordingLimit::keep().
struct LimitKept {
  std::vector<std::string> removed{};      ///< paths, the oldest first
  std::vector<std::string> not_removed{};  ///< paths that keep() does not try again
  std::uint64_t bytes = 0;                 ///< bytes of the folder's files afterwards
  int error = 0;  ///< errno code of a folder that cannot be listed; 0: none
};

/// The name of a page beside the recordings: view-<game>-<hash of the rules>.html.
inline constexpr std::string_view kPagePrefix = "view-";
inline constexpr std::string_view kPageSuffix = ".html";

/// Counts every regular file of the folder but the pages. Removes only files that have the name of
/// a recording, whose header names this server, and that no process writes. Thread: one at a time.
class RecordingLimit {
 public:
  /// Requires: `disk` outlives the object.
  RecordingLimit(RecordingLimitOptions options, os::Disk& disk);

  /// Removes the oldest recordings until `reserve` more bytes fit within the limit, or no more can
  /// be removed. Cost: lists the folder, and reads the headers of files that may be removed; may
  /// wait for the disk.
  [[nodiscard]] LimitKept keep(std::uint64_t reserve);

 private:
  [[nodiscard]] bool may_remove(const std::string& path);

  RecordingLimitOptions options_;
  os::Disk& disk_;
  std::set<std::string> failed_;  ///< paths that could not be removed
};

/// Returns whether a file's name is one that recording_name() gives without a suffix.
[[nodiscard]] bool is_recording_name(const std::string& name);

}  // namespace tickbox::server
