#pragma once
// Reads a server's /v1/status on a background thread, so that the clients never wait for it.

#include "client/commands/admin_side.h"
#include "core/clock.h"
#include "core/histogram.h"

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace tickbox::commands {

/// The figures of a server at one moment: of all its shards, since it was started.
struct ServerSample {
  Instant at;
  Histogram tick_ns;          ///< of every tick that it has run
  std::uint64_t slipped = 0;  ///< ticks that were due and never ran
  std::uint64_t overruns = 0;
  std::uint64_t tick_rate = 0;
  std::uint64_t started_ms = 0;  ///< start of the process, since 1970
  std::uint64_t cpu_ms = 0;
  std::uint64_t resident_bytes = 0;
  std::string version{};  ///< "0.2.0 (commit 0123abc, simulation 0123456789abcdef)"
};

/// Reads a sample from the document of /v1/status, which may be of any form. Fails: with one line
/// that names the member which is missing or of another form.
[[nodiscard]] std::expected<ServerSample, std::string> read_sample(std::string_view document);

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
