#pragma once
// Looks at a server's /metrics from a thread of its own, so that the clients never wait for it.

#include "client/commands/load/metrics_text.h"
#include "core/clock.h"
#include "net/address.h"

#include <condition_variable>
#include <cstdint>
#include <expected>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace tickbox::commands {

/// What a server said of itself at a moment.
struct ServerSample {
  std::uint64_t number = 0;  ///< counts the samples of a watch, from 1
  Instant at;
  BucketCounts tick_seconds;
  double ticks = 0;
  double slipped = 0;
  double overruns = 0;
  double tick_rate = 0;
  double cpu_seconds = 0;
  double resident_bytes = 0;
};

/// Fails: with one line, when the answer is not that of our server.
[[nodiscard]] std::expected<ServerSample, std::string> read_sample(std::string_view metrics);

/// Asks once, and waits for it.  Fails: with one line.
[[nodiscard]] std::expected<ServerSample, std::string> ask_server(const net::Address& admin,
                                                                  const Clock& clock);

/// Asks once a second, and when told to.
class ServerWatch {
 public:
  /// Borrows the clock.
  ServerWatch(const net::Address& admin, const Clock& clock);
  ServerWatch(const ServerWatch&) = delete;
  ServerWatch& operator=(const ServerWatch&) = delete;
  ~ServerWatch();

  /// Asks now: the next sample is younger than this call.  Thread: the owner's, as all.
  void ask();

  /// The newest sample; nothing before the first.
  [[nodiscard]] std::optional<ServerSample> newest() const;

  /// Whether what ask() asked for has been answered, or has failed.
  [[nodiscard]] bool answered() const;

 private:
  void run();

  net::Address admin_;
  const Clock& clock_;
  std::stop_source stopping_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool asked_ = false;
  bool asking_ = false;  ///< a request is on its way
  std::optional<ServerSample> newest_;
  std::thread thread_;
};

}  // namespace tickbox::commands
