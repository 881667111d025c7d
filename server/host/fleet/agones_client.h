#pragma once
// The client of Agones: a thread that makes the calls of AgonesCalls to the side car, over HTTP,
// and follows its watch. It reads what the admin side reads, and no ticking thread waits for it.

#include "core/clock.h"
#include "net/transport.h"
#include "os/http/http.h"
#include "os/process/process.h"
#include "server/host/admin/admin_server.h"
#include "server/host/fleet/agones_calls.h"
#include "server/shard/log.h"

#include <atomic>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::server {

/// Answers of the side car by HTTP status; 0 counts the calls without an answer.
using AgonesCounts = os::LatestValue<std::vector<os::HttpCount>>;

/// Returns the address of the side car at this port of the pod.
[[nodiscard]] net::Address side_car_at(std::uint16_t port);

/// Asks the side car once for the addresses at which clients reach the shards: its GameServer's,
/// with a port for each shard in the order of the spec. Also sends a ping: a server that waits for
/// its address is alive. Fails: with one line.
[[nodiscard]] std::expected<std::vector<net::Address>, std::string> own_addresses(
    const net::Address& side_car, std::uint32_t shards);

class AgonesClient {
 public:
  /// What the object uses. The references must outlive it.
  struct Parts {
    net::Address side_car;
    const Clock& clock;
    Log& log;
    AdminServer& admin;
    AgonesCounts& counts;
  };

  /// Starts the thread. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<AgonesClient>, std::string> start(
      const Parts& parts);

  AgonesClient(const AgonesClient&) = delete;
  AgonesClient& operator=(const AgonesClient&) = delete;
  /// Joins the thread, which may wait for an answer, at most 2 s.
  ~AgonesClient();

  /// Asks Agones for the shutdown of this server. Thread: any, as is_over().
  void shut_down() { ends_ = true; }

  /// Returns what AgonesCalls::is_over() does.
  [[nodiscard]] bool is_over(bool has_signal) {
    has_signal_ = has_signal;
    return is_over_;
  }

 private:
  explicit AgonesClient(const Parts& parts)
      : parts_(parts), calls_(parts.log, parts.admin.orders()) {}

  void run();
  void run_turn();
  void follow_watch();
  [[nodiscard]] bool receive(ConstBytes piece, std::string& line);
  [[nodiscard]] AgonesAnswer send(const AgonesCall& call);
  void update_players(Instant now);
  [[nodiscard]] ServerFacts facts(Instant now) const;
  void count(unsigned status);

  Parts parts_;
  AgonesCalls calls_;
  std::map<unsigned, std::uint64_t> counts_;
  std::optional<std::uint64_t> players_request_;  ///< to the shards, while the players are needed
  std::optional<std::vector<std::uint64_t>> players_;
  Instant next_turn_ = Instant::min();
  std::atomic<bool> stops_ = false;
  std::atomic<bool> ends_ = false;
  std::atomic<bool> has_signal_ = false;
  std::atomic<bool> is_over_ = false;
  std::thread thread_;  ///< uses the other members
};

}  // namespace tickbox::server
