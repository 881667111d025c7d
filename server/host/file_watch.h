#pragma once
// Notices that a file has changed, by its inode, size and times. A symlink that points elsewhere
// counts, as when Kubernetes replaces a Secret.

#include "core/clock.h"
#include "os/files/file.h"
#include "server/host/base/background_call.h"

#include <optional>
#include <string>
#include <utility>

namespace tickbox::server {

/// The time between two looks at a file.
inline constexpr Duration kFileWatchInterval = std::chrono::seconds{10};

class FileWatch {
 public:
  /// `path`: empty if there is no file to watch.
  explicit FileWatch(std::string path) : path_(std::move(path)) {}

  /// Returns whether the file has changed since it was read, once for each change. Looks at it
  /// every kFileWatchInterval, on a thread of its own: a dead mount may hold that thread.
  [[nodiscard]] bool has_changed(Instant now);

  /// Sets the file that was read. `stamp`: taken before the read.
  void set_seen(const os::FileStamp& stamp) { seen_ = stamp; }

 private:
  std::string path_;
  os::FileStamp seen_;
  std::optional<Instant> looked_;
  BackgroundCall<os::FileStamp> look_;
};

}  // namespace tickbox::server
