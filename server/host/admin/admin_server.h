#pragma once
// The admin side of a running server: answers over HTTP from the status that was published last.

#include "core/clock.h"
#include "core/ids.h"
#include "os/http/http.h"
#include "os/process/latest_value.h"
#include "server/host/admin/admin.h"
#include "server/host/admin/admin_token.h"
#include "server/recording/log_tail.h"

#include <atomic>
#include <expected>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::server {

/// Thread: answers on a thread of its own; all functions are for the thread that made it.
class AdminServer {
 public:
  /// What the object uses. Clock and log must outlive it.
  struct Parts {
    std::optional<AdminToken> token;  ///< the one that requests must show, if any
    const Clock& clock;
    const os::AsyncLog& log;  ///< whose level can be set
    std::string name{};       ///< of the server
  };

  /// Binds the address and answers from then on. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<AdminServer>, std::string> start(
      const os::HttpOptions& options, Parts parts);

  AdminServer(const AdminServer&) = delete;
  AdminServer& operator=(const AdminServer&) = delete;

  /// Replaces the status for the next answers, unless one is copying it at the moment. Never waits.
  void publish(const Status& status) { status_.publish(status); }

  /// Lets the log of a room be followed, from now on.
  void open_log(RoomId room, std::shared_ptr<const LogTail> log);

  [[nodiscard]] net::Address local_address() const { return http_->local_address(); }

  /// Returns what was ordered, for the loop.
  [[nodiscard]] AdminOrders& orders() { return orders_; }

  /// Closes every connection and joins the thread.
  void stop() { http_->stop(); }

 private:
  explicit AdminServer(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] os::HttpResponse respond(const os::HttpRequest& request);
  [[nodiscard]] os::HttpResponse respond_with_log(std::uint32_t room, std::string_view query);

  Parts parts_;
  AdminOrders orders_;
  os::LatestValue<Status> status_;
  std::mutex logs_mutex_;
  std::map<std::uint32_t, std::shared_ptr<const LogTail>> logs_;  ///< by room
  std::atomic<const os::HttpServer*> running_ = nullptr;          ///< read by its own thread
  std::unique_ptr<os::HttpServer> http_;  ///< declared last: its thread uses the other members
};

}  // namespace tickbox::server
