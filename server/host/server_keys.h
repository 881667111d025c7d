#pragma once
// The keys of a running server: read at the start, and again on SIGHUP or when the file changes.
// The log has their number and the id of the newest, never a key.

#include "net/key_ring.h"
#include "os/files/private_file.h"
#include "server/host/base/background_call.h"
#include "server/host/base/options.h"
#include "server/host/file_watch.h"
#include "server/shard/log.h"

#include <expected>
#include <optional>
#include <string>

namespace tickbox::server {

class ServerKeys {
 public:
  /// Both arguments must outlive the object.
  ServerKeys(const Options& options, Log& log)
      : options_(options), log_(log), watch_(options.key_file) {}

  /// Returns the keys to start with. Creates and logs a missing key file if that is requested.
  /// Requires: net::crypto_ready(). Fails: with one line.
  [[nodiscard]] std::expected<net::KeyRing, std::string> open();

  /// Begins to read the file again. Without a key file, logs a warning.
  void begin_reload();

  /// Begins to read the file again if it has changed.
  void poll(Instant now) {
    if (watch_.has_changed(now)) begin_reload();
  }

  /// Returns the keys of a reload that has ended, once; nothing while it reads, or after a log line
  /// if the file has none to use. Cost: one load while nothing has ended.
  [[nodiscard]] std::optional<net::KeyRing> consume_reloaded();

  /// Returns whether a reload was begun whose result was not consumed.
  [[nodiscard]] bool is_reloading() const { return reload_.is_under_way(); }

  /// Logs a warning if the key file is exposed.
  void log_exposure() const;

  /// Returns keys=2 newest=3 for the keys read last.
  [[nodiscard]] const LogFields& in_use() const { return in_use_; }

 private:
  /// One read of the key file.
  struct Reload {
    os::FileStamp stamp;
    std::expected<net::KeyRing, std::string> keys;
    std::optional<os::FileExposure> exposure;
  };

  void log_exposure(const std::optional<os::FileExposure>& exposure) const;

  const Options& options_;
  Log& log_;
  FileWatch watch_;
  LogFields in_use_;
  BackgroundCall<Reload> reload_;
};

}  // namespace tickbox::server
