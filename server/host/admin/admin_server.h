#pragma once
// The admin side of a running server: answers over HTTP from the status that was published last.

#include "core/clock.h"
#include "core/ids.h"
#include "os/http/http.h"
#include "os/process/latest_value.h"
#include "server/host/admin/admin.h"
#include "server/host/admin/admin_token.h"
#include "server/host/admin/places.h"
#include "server/host/admin/recent_log.h"
#include "server/host/admin/recording_pages.h"
#include "server/recording/log_tail.h"
#include "server/shard/client_status.h"

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

/// The browsers that may load the page at once.
inline constexpr std::size_t kPagesMax = 16;

/// The clients that play, at one time.
struct ClientList {
  Instant at;
  std::vector<ClientStatus> clients{};
};

/// Thread: answers on a thread of its own; all functions are for the thread that made it.
class AdminServer {
 public:
  /// What the object uses. Clock, log, recent lines and page must outlive it.
  struct Parts {
    std::optional<AdminToken> token;  ///< the one that requests must show, if any
    const Clock& clock;
    const os::AsyncLog& log;            ///< whose level can be set
    std::string name{};                 ///< of the server
    const RecentLog* recent = nullptr;  ///< lines of the log; nullptr: none
    std::string address{};              ///< at which clients connect
    std::string_view page{};            ///< ServerProgram::page
    std::string recordings{};           ///< directory of --record; empty: none
  };

  /// Binds the address and answers from then on. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<AdminServer>, std::string> start(
      const os::HttpOptions& options, Parts parts);

  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// Replaces the status for the next answers, unless one is copying it at the moment. Never waits.
  void publish(const Status& status) { status_.publish(status); }

  /// Returns whether somebody waits for the list of clients. Cost: two loads.
  [[nodiscard]] bool wants_clients() const { return clients_asked_ != clients_given_; }

  /// Gives the list of clients to those who wait. Never waits. Cost: a copy of the list; it
  /// allocates only for a list that is longer than each before.
  void publish_clients(const ClientList& clients);

  /// Lets the log of a room be followed, from now on.
  void open_log(RoomId room, std::shared_ptr<const LogTail> log);

  [[nodiscard]] net::Address local_address() const { return http_->local_address(); }

  /// Returns what was ordered, for the loop.
  [[nodiscard]] AdminOrders& orders() { return orders_; }

  /// Closes every connection and joins the thread.
  void stop() { http_->stop(); }

 private:
  explicit AdminServer(Parts parts) : parts_(std::move(parts)), began_(parts_.clock.now()) {}

  [[nodiscard]] os::HttpResponse respond(const os::HttpRequest& request);
  [[nodiscard]] os::HttpResponse answer_get(const os::HttpRequest& request);
  [[nodiscard]] os::HttpResponse respond_with_status(std::string_view query);
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
  os::LatestValue<Status> status_;
  os::LatestValue<ClientList> clients_;
  std::atomic<std::uint64_t> clients_asked_ = 0;  ///< requests so far that want the list
  std::atomic<std::uint64_t> clients_given_ = 0;  ///< those of them for which it was published
  KeptStatus kept_status_;                        ///< used by the thread of the admin side
  Places pages_{kPagesMax};
  Places downloads_{kDownloadsMax};
  std::mutex logs_mutex_;
  std::map<std::uint32_t, std::shared_ptr<const LogTail>> logs_;  ///< by room
  std::atomic<const os::HttpServer*> running_ = nullptr;          ///< read by its own thread
  std::unique_ptr<os::HttpServer> http_;  ///< declared last: its thread uses the other members
};

}  // namespace tickbox::server
