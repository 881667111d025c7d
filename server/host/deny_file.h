#pragma once
// The file of --deny-file: read at the start, and again on SIGHUP or when it changes.

#include "server/host/base/background_call.h"
#include "server/host/base/options.h"
#include "server/host/file_watch.h"
#include "server/shard/connect/deny_list.h"
#include "server/shard/log.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>

namespace tickbox::server {

/// Largest deny file read: more than 700,000 ids.
inline constexpr std::size_t kDenyFileBytesMax = std::size_t{16} * 1024 * 1024;

class DenyFile {
 public:
  /// Both arguments must outlive the object.
  DenyFile(const Options& options, Log& log)
      : options_(options), log_(log), watch_(options.deny_file) {}

  /// Returns the list to start with; an empty one without --deny-file. Logs a warning if clients
  /// can choose their ids. Fails: with one line.
  [[nodiscard]] std::expected<DenyList, std::string> open();

  /// Begins to read the file again, if there is one.
  void begin_reload();

  /// Begins to read the file again if it has changed.
  void poll(Instant now) {
    if (watch_.has_changed(now)) begin_reload();
  }

  /// Returns the list of a reload once, when it has ended. If the file has an error, logs a line
  /// and returns nothing.
  [[nodiscard]] std::optional<DenyList> consume_reloaded();

  /// Returns whether a reload was begun whose result was not consumed.
  [[nodiscard]] bool is_reloading() const { return reload_.is_under_way(); }

 private:
  /// One read of the file.
  struct Reload {
    os::FileStamp stamp;
    std::expected<DenyList, std::string> list;
  };

  const Options& options_;
  Log& log_;
  std::size_t clients_ = 0;  ///< of the list read last
  FileWatch watch_;
  BackgroundCall<Reload> reload_;
};

}  // namespace tickbox::server
