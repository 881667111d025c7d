#include "server/host/service_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tickbox::server {
namespace {

/// The time between two messages to a manager without a watchdog: for people who read the status.
constexpr Duration kInterval = std::chrono::seconds{10};
/// The time to the next one while the server is stalled, or the manager cannot be reached.
constexpr Duration kRetry = std::chrono::seconds{1};
/// What the end of the process may take after that of its files.
constexpr Duration kMargin = std::chrono::seconds{5};

std::int64_t microseconds(Duration time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time).count();
}

}  // namespace

ServiceReport::ServiceReport(Server& server, os::ServiceManager manager)
    : server_(server),
      manager_(std::move(manager)),
      interval_(std::min(kInterval, manager_.watchdog().value_or(2 * kInterval) / 2)) {}

void ServiceReport::poll(Instant now) {
  if (is_reloading_ && are_files_read()) {
    is_reloading_ = false;
    state_ = "READY=1\n";
    next_ = now;
  }
  if (now >= next_) send(now);
}

void ServiceReport::reload(Instant now) {
  is_reloading_ = true;
  state_ = fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", microseconds(now.time_since_epoch()));
  send(now);
}

/// The manager's own limit may be shorter than the drain of this server's options.
void ServiceReport::stop(Duration within, Instant now) {
  is_reloading_ = false;
  state_ = fmt::format("STOPPING=1\nEXTEND_TIMEOUT_USEC={}\n", microseconds(within + kMargin));
  send(now);
}

bool ServiceReport::are_files_read() const {
  return !server_.keys.is_reloading() && !server_.deny_file.is_reloading();
}

void ServiceReport::send(Instant now) {
  if (!manager_.exists()) return;
  const os::HttpResponse liveness = server_.admin->liveness();
  const bool is_alive = liveness.status == 200;
  const std::size_t clients = server_.progress().clients;
  const auto sent = manager_.notify(fmt::format(
      "{}STATUS={}, {} client{}\n{}", state_, liveness.body.substr(0, liveness.body.find('\n')),
      clients, clients == 1 ? "" : "s", is_alive ? "WATCHDOG=1\n" : ""));
  next_ = now + (sent && is_alive ? interval_ : std::min(interval_, kRetry));
  if (sent) state_.clear();
  if (!sent && !is_unreachable_) {
    server_.log.event(Severity::Warning,
                      {"service_manager_unreachable",
                       {{"reason", sent.error()},
                        {"try", "Type=notify and NotifyAccess=main in the unit of the service"}}});
  }
  is_unreachable_ = !sent;
}

}  // namespace tickbox::server
