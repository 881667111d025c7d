#pragma once
// The admin side of a running server: answers over HTTP from the status that was published last.

#include "core/clock.h"
#include "core/ids.h"
#include "os/http/http.h"
#include "os/process/process.h"
#include "server/host/admin/admin.h"
#include "server/host/admin/admin_token.h"
#include "server/host/admin/record_streams.h"
#include "server/host/admin/status_document.h"
#include "server/recording/log_tail.h"
#include "server/shard/shard_status.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The clients that play, at one time.
struct ClientList {
  Instant at;
  std::vector<ClientStatus> clients{};
  std::vector<std::uint64_t> seat_holders{};  ///< client ids, one for each seat that is held
};

/// Thread: answers on a thread of its own; the functions are for the thread that made it, or as
/// they say.
class AdminServer {
 public:
  /// What the object uses. Clock, log, recent lines and page must outlive it.
  struct Parts {
    AdminTokens tokens{};  ///< that requests must show, if any
    const Clock& clock;
    const os::AsyncLog& log;             ///< whose level can be set
    std::string name{};                  ///< of the server
    bool has_keys = false;               ///< ProcessFacts::has_keys
    std::string gateway_url{};           ///< ProcessFacts::gateway_url
    const RecentLog* recent = nullptr;   ///< lines of the log; nullptr: none
    std::vector<std::string> addresses;  ///< at which clients connect, by shard
    std::string_view page{};             ///< ServerProgram::page
    std::string recordings{};            ///< directory of --record; empty: none
    WhenFull when_full = WhenFull::Ready;
    std::size_t log_streams = kLogStreamsMax;  ///< that may be open at once
    /// Answers to the client of the fleet; nullptr: there is none.
    const os::LatestValue<std::vector<os::HttpCount>>* fleet_requests = nullptr;
  };

  /// Binds the address and answers from then on. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<AdminServer>, std::string> start(
      const os::HttpOptions& options, Parts parts);

  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// Replaces the state of the server for the next answers. Thread: any.
  void set_state(ServerState state) { state_ = state; }

  /// Replaces the status of a shard for the next answers, unless one is copying it at the moment.
  /// Never waits. Thread: that of the shard, as wants_clients() and publish_clients().
  void publish(std::size_t shard, const ShardStatus& status) {
    shards_[shard].status.publish(status);
  }

  /// Lets nobody wait for ticks of this shard any more: it has run its --ticks. Thread: any.
  void end_ticks(std::size_t shard) { shards_[shard].has_run = true; }

  /// Returns whether somebody waits for the list of clients. Cost: two loads.
  [[nodiscard]] bool wants_clients(std::size_t shard) const {
    return clients_asked_ != shards_[shard].clients_given;
  }

  /// Gives the clients of a shard to those who wait. Never waits. Cost: a copy of the list; it
  /// allocates only for a list that is longer than each before.
  void publish_clients(std::size_t shard, const ClientList& clients);

  /// Asks the shards for their clients. Returns the number of the request. Thread: any.
  [[nodiscard]] std::uint64_t request_clients() { return ++clients_asked_; }

  /// Returns the client ids of all seats that are held, one for each; nothing until every shard has
  /// answered the request. Thread: any.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> seat_holders(std::uint64_t request) const;

  /// Lets the log of a room be followed, from now on. Thread: any.
  void open_log(RoomId room, std::shared_ptr<const LogTail> log);

  /// Lets nobody begin to follow the log of a room any more. Thread: any.
  void close_log(RoomId room);

  [[nodiscard]] net::Address local_address() const { return http_->local_address(); }

  /// Returns what the shards have published last. Thread: any.
  [[nodiscard]] Status status() const;

  /// Returns the answer of /livez. Thread: any. Cost: a copy of the status of each shard.
  [[nodiscard]] os::HttpResponse liveness() const {
    return answer("/livez", status(), {}, parts_.clock.now());
  }

  /// Returns what was ordered, for the loop.
  [[nodiscard]] AdminOrders& orders() { return orders_; }

  /// Closes every connection and joins the thread.
  void stop() { http_->stop(); }

 private:
  explicit AdminServer(Parts parts)
      : parts_(std::move(parts)),
        began_(parts_.clock.now()),
        shards_(parts_.addresses.size()),
        log_streams_(parts_.log_streams) {}

  /// What a shard has published.
  struct ShardBoard {
    os::LatestValue<ShardStatus> status;
    os::LatestValue<ClientList> clients;
    std::atomic<bool> has_run = false;
    std::atomic<std::uint64_t> clients_given = 0;  ///< requests for which `clients` was published
  };

  [[nodiscard]] bool are_clients_given(std::uint64_t request) const;

  [[nodiscard]] os::HttpResponse respond(const os::HttpRequest& request);
  [[nodiscard]] os::HttpResponse answer_get(const os::HttpRequest& request);
  [[nodiscard]] os::HttpResponse respond_with_status(std::string_view query);
  [[nodiscard]] os::HttpResponse status_for_load() const;
  [[nodiscard]] os::HttpResponse status_after(std::uint64_t line) const;
  [[nodiscard]] std::optional<os::HttpResponse> kept_status(std::uint64_t line, Instant now) const;

  /// The last document of the status, for other pages that ask at about the same time.
  struct KeptStatus {
    Instant at;
    std::uint64_t line = 0;  ///< it has the lines of the log that follow this one
    std::string body{};      ///< empty: there is none
  };

  [[nodiscard]] ProcessFacts process() const;
  [[nodiscard]] os::HttpResponse respond_with_log(std::uint32_t room, std::string_view query);

  Parts parts_;
  Instant began_;
  AdminOrders orders_;
  std::atomic<ServerState> state_ = ServerState::Starting;
  std::vector<ShardBoard> shards_;
  std::atomic<std::uint64_t> clients_asked_ = 0;  ///< requests so far that want the list
  KeptStatus kept_status_;                        ///< used by the thread of the admin side
  Places log_streams_;
  Places downloads_{kDownloadsMax};
  std::mutex logs_mutex_;
  std::map<std::uint32_t, std::shared_ptr<const LogTail>> logs_;  ///< by room
  std::atomic<const os::HttpServer*> running_ = nullptr;          ///< read by its own thread
  std::unique_ptr<os::HttpServer> http_;  ///< declared last: its thread uses the other members
};

}  // namespace tickbox::server
