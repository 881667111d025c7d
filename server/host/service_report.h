#pragma once
// The words of a server for the service manager that started it: clients can connect, its files are
// read again, it stops; and, while every shard ticks, that it is alive.

#include "core/clock.h"
#include "os/process/process.h"
#include "server/host/server.h"

#include <cstddef>
#include <string>

namespace tickbox::server {

/// Does nothing without a service manager. Thread: the supervisor's, which may be late but never
/// waits here.
class ServiceReport {
 public:
  /// Clients can connect from now on. `server` must outlive the object.
  explicit ServiceReport(Server& server,
                         os::ServiceManager manager = os::ServiceManager::from_environment());

  /// Sends what has not been sent yet, and at intervals how the server is. A server that does not
  /// tick is not alive, as /livez says: the watchdog of the manager ends it then.
  void poll(Instant now);

  /// The server reads its files again; poll() says when it has.
  void reload(Instant now);

  /// The server begins to stop, and has ended within this time.
  void stop(Duration within, Instant now);

 private:
  [[nodiscard]] bool are_files_read() const;
  void send(Instant now);

  Server& server_;
  os::ServiceManager manager_;
  Duration interval_;                ///< from one message to the next, if nothing changes
  std::string state_ = "READY=1\n";  ///< the lines of the last change; empty: the manager has them
  bool is_reloading_ = false;
  bool is_unreachable_ = false;  ///< and the log says so
  Instant next_{};
};

}  // namespace tickbox::server
