#pragma once
// Reads a server's /metrics on a background thread, so that the clients never wait for it.

#include "client/commands/admin_side.h"
#include "client/commands/load/metrics_text.h"
#include "core/clock.h"

#include <condition_variable>
#include <expected>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace tickbox::commands {

/// The metrics of a server at one moment.
struct ServerSample {
  Instant at;
  CumulativeBuckets tick_seconds;
  double ticks = 0;
  double slipped = 0;
  double overruns = 0;
  double tick_rate = 0;
  double started = 0;  ///< start of the process, in seconds since 1970
  double cpu_seconds = 0;
  double resident_bytes = 0;
  std::string
      version{};  ///< "0.2.0 (commit 0123abc, simulation 0123456789abcdef)"; empty if unknown
};

/// Reads a sample from the text of /metrics. Fails: with one line, if it is not that of a Tickbox
/// server.
[[nodiscard]] std::expected<ServerSample, std::string> read_sample(std::string_view metrics);

/// Requests one sample, and waits for the response. Fails: with one line.
[[nodiscard]] std::expected<ServerSample, std::string> ask_server(const AdminSide& admin,
                                                                  const Clock& clock);

/// A background thread that requests a sample once per second, and on ask().
class ServerWatch {
 public:
  /// `first`: a sample that was requested before. Requires: the clock outlives the watch. Fails:
  /// with one line, if there is no thread.
  [[nodiscard]] static std::expected<std::unique_ptr<ServerWatch>, std::string> start(
      AdminSide admin, const Clock& clock, ServerSample first);

  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;
  ~ServerWatch();

  /// Requests a sample now, which is younger than this call. Thread: the owner's, as for all
  /// functions.
  void ask();

  [[nodiscard]] ServerSample newest() const;

  /// Returns whether the request of ask() was answered, or has failed.
  [[nodiscard]] bool answered() const;

 private:
  ServerWatch(AdminSide admin, const Clock& clock, ServerSample first);

  void run();

  AdminSide admin_;
  const Clock& clock_;
  std::stop_source stopping_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool asked_ = false;
  bool asking_ = false;  ///< the request of ask() is in progress
  ServerSample newest_;
  std::thread thread_;
};

}  // namespace tickbox::commands
