#pragma once
// The files that a server reads at its start, and again on SIGHUP or when they change: its keys and
// the clients that are denied. The log has the number of keys and the id of the newest, never a
// key.

#include "core/clock.h"
#include "core/log_event.h"
#include "net/connect_token.h"
#include "os/files/file.h"
#include "os/files/private_file.h"
#include "server/host/base/options.h"
#include "server/host/base/threads.h"
#include "server/shard/connect/admission.h"
#include "server/shard/log.h"

#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace tickbox::server {

/// The time between two looks at a file.
inline constexpr Duration kFileWatchInterval = std::chrono::seconds{10};

/// Notices that a file has changed, by its inode, size and times. A symlink that points elsewhere
/// counts, as when Kubernetes replaces a Secret.
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

/// A file that holds a `T`. Thread: one.
template <class T>
class WatchedFile {
 public:
  /// The content of the file. An error is one line.
  using Content = std::expected<T, std::string>;

  /// `path`: empty if there is no file; then only `read` says what there is. `read` owns what it
  /// uses, because a dead mount may hold its thread until the process ends. `fields` says in the
  /// log what was read.
  WatchedFile(std::string path, std::function<Content()> read, LogFields (*fields)(const T&))
      : path_(std::move(path)), watch_(path_), read_(std::move(read)), fields_(fields) {}

  /// Returns the content to start with.
  [[nodiscard]] Content open() {
    watch_.set_seen(os::file_stamp(path_));
    return kept(read_());
  }

  /// Begins to read the file again, if there is one.
  void begin_reload() {
    if (path_.empty()) return;
    reload_.begin("file_reload", [path = path_, read = read_] {
      const os::FileStamp stamp = os::file_stamp(path);
      return Reload{.stamp = stamp, .content = read()};
    });
  }

  /// Begins to read the file again if it has changed. Returns the content of a reload once, when it
  /// has ended.
  [[nodiscard]] std::optional<Content> poll(Instant now) {
    if (watch_.has_changed(now)) begin_reload();
    auto ended = reload_.poll();
    if (!ended) return std::nullopt;
    watch_.set_seen(ended->stamp);
    return kept(std::move(ended->content));
  }

  /// Returns whether a reload was begun that poll() has not returned.
  [[nodiscard]] bool is_reloading() const { return reload_.is_under_way(); }

  /// Returns what the log says of the content read last, such as keys=2 newest=3.
  [[nodiscard]] const LogFields& in_use() const { return in_use_; }

 private:
  struct Reload {
    os::FileStamp stamp;
    Content content;
  };

  Content kept(Content content) {
    if (content) in_use_ = fields_(*content);
    return content;
  }

  std::string path_;
  FileWatch watch_;
  std::function<Content()> read_;
  LogFields (*fields_)(const T&);
  LogFields in_use_;
  BackgroundCall<Reload> reload_;
};

/// What is read from a key file.
struct FileOfKeys {
  net::KeyRing keys;
  std::optional<os::FileExposure> exposure{};
};

/// Returns the key file, or what stands for it: the published key.
[[nodiscard]] WatchedFile<FileOfKeys> watched_keys(const Options& options);

/// Logs a warning if a key file is exposed.
void log_exposure(Log& log, const std::optional<os::FileExposure>& exposure);

/// Returns the file of --deny-file; without it an empty list.
[[nodiscard]] WatchedFile<DenyList> watched_deny_file(const Options& options);

}  // namespace tickbox::server
