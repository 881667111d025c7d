#pragma once
// The service manager that started this process, such as systemd: it takes lines about the state of
// a service, each message as a datagram.
//
// Source: sd_notify(3) and sd_watchdog_enabled(3). libsystemd cannot be linked static on Debian.

#include "core/clock.h"

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::os {

class ServiceManager {
 public:
  /// `socket`: the path of its socket, or @ and the name of an abstract one; empty: there is none.
  /// `watchdog`: it ends a service that does not say WATCHDOG=1 for this time; nothing: it waits.
  explicit ServiceManager(std::string socket, std::optional<Duration> watchdog = {})
      : socket_(std::move(socket)), watchdog_(watchdog) {}

  /// Returns the manager that the environment names: NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID.
  [[nodiscard]] static ServiceManager from_environment();

  /// Sends lines such as "READY=1\nSTATUS=all is well\n". Never waits. Does nothing without a
  /// manager. Fails: with one line, also if the manager has no place for the message now.
  [[nodiscard]] std::expected<void, std::string> notify(std::string_view lines) const;

  [[nodiscard]] bool exists() const { return !socket_.empty(); }

  [[nodiscard]] std::optional<Duration> watchdog() const { return watchdog_; }

 private:
  std::string socket_;
  std::optional<Duration> watchdog_;
};

}  // namespace tickbox::os
