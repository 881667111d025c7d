#pragma once
// What a server does beside its ticks, on the main thread: signals, orders of the admin side, files
// that have changed, and rooms that open and close. ServiceEnd says when a server ends, and
// ServiceReport what a service manager is sent.

#include "core/clock.h"
#include "core/ids.h"
#include "core/log_event.h"
#include "net/transport.h"
#include "os/process/process.h"
#include "server/host/admin/admin_orders.h"
#include "server/host/base/threads.h"
#include "server/host/hand_over.h"
#include "server/host/server.h"
#include "server/host/watched_file.h"
#include "server/shard/hosted_room.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::server {

/// Decides when a server drains and when it ends. It has no clock and no signals of its own.
class ServiceEnd {
 public:
  struct Limits {
    Duration drain_time{};       ///< from the first request to stop to the end; 0: end at once
    Duration exit_when_empty{};  ///< without a client; 0: never
  };

  /// What a turn of the loop has seen.
  struct Seen {
    int stop_signals = 0;           ///< since the start
    bool drain_asked = false;       ///< by an order of the admin side
    bool hands_over = false;        ///< to another server; only with drain_asked
    std::size_t clients = 0;        ///< that play
    std::uint32_t seats_held = 0;   ///< needed once a stop is asked for
    std::uint32_t allocations = 0;  ///< since the start; players come after each
  };

  enum class Change : std::uint8_t {
    None,
    Drains,    ///< from now on, or for longer than before; drains_to() is set
    IsEmpty,   ///< over, because no client has played for the time given
    HasEnded,  ///< over, for any other reason
  };

  explicit ServiceEnd(const Limits& limits)
      : drain_time_(limits.drain_time), empty_(limits.exit_when_empty) {}

  /// Returns what has changed since the turn before. Requires: not over.
  Change update(const Seen& seen, Instant now);

  /// Returns when the server ends at the latest, once it drains.
  [[nodiscard]] std::optional<Instant> drains_to() const { return drains_to_; }

 private:
  [[nodiscard]] bool is_empty(const Seen& seen, Instant now);

  Duration drain_time_;
  std::optional<Instant> drains_to_;
  bool hands_over_ = false;        ///< ordered at least once
  bool was_joined_ = false;        ///< a client has played, or the server was allocated
  std::uint32_t allocations_ = 0;  ///< that it has seen
  EmptyTime empty_;
};

/// The words of a server for the service manager that started it: clients can connect, its files
/// are read again, it stops; and, while every shard ticks, that it is alive. Does nothing without a
/// service manager. Thread: the supervisor's, which may be late but never
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

class Supervisor {
 public:
  explicit Supervisor(Server& server);

  /// Runs until the server is to stop (ServiceEnd), or its shards have ended by themselves.
  void run();

  /// Does what shards have handed back, and refuses the orders that wait. Call it once the shards
  /// have ended.
  void end();

  /// Returns whether another thread uses the server: a room is still being made, or clients are
  /// being handed over.
  [[nodiscard]] bool is_server_used();

 private:
  [[nodiscard]] bool is_over();
  [[nodiscard]] bool have_shards_run() const;
  void begin_drain(Instant now);
  void reload_files();
  void reload_keys(const std::optional<WatchedFile<FileOfKeys>::Content>& read);
  void reload_denied(const std::optional<WatchedFile<DenyList>::Content>& read);
  template <class Kick>
  void kick_in_shards(const Kick& kick, const LogFields& fields, bool tells_none);
  void kick_ordered();
  void do_room_orders();
  void begin_opening(std::shared_ptr<RoomOrder> order);
  [[nodiscard]] std::expected<RoomPlan, RoomFault> plan_of(const RoomOrder& order);
  void finish_opening();
  void open(std::unique_ptr<ServedRoom> room, std::shared_ptr<RoomOrder> order);
  void close(RoomId room, std::shared_ptr<RoomOrder> order);
  void close_empty_rooms();
  void return_closed(std::unique_ptr<ServedRoom> room, std::string_view reason);
  void remove_open(RoomId room, std::string_view reason);
  void finish_closing();
  [[nodiscard]] ShardHost& emptiest_shard() const;
  [[nodiscard]] ShardHost* shard_at(const net::Address& address) const;

  /// A room that is being made on a thread of its own.
  struct Opening {
    std::shared_ptr<RoomOrder> order;
    BackgroundCall<std::expected<std::unique_ptr<ServedRoom>, RoomFault>> call;
  };

  Server& server_;
  ServiceEnd end_;
  ServiceReport report_;
  HandOver hand_over_;
  Mailbox returned_;                               ///< what shards hand back
  std::map<std::uint32_t, std::size_t> shard_of_;  ///< of each open room
  std::optional<Opening> opening_;
  int hangups_ = 0;  ///< number of hangup signals handled
  int strays_ = 0;   ///< number of signals without a meaning, logged
};

}  // namespace tickbox::server
