#pragma once
// A shard of a server with all that is its own: its socket, its rooms, and the thread that drives
// them. Shards share nothing but what takes many writers, such as the log. Other threads hand over
// copies through its mailbox.

#include "core/clock.h"
#include "core/ids.h"
#include "os/net/udp_transport.h"
#include "os/process/steady_clock.h"
#include "server/host/admin/admin_server.h"
#include "server/host/base/threads.h"
#include "server/host/rooms/served_room.h"
#include "server/shard/metrics.h"
#include "server/shard/shard.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::server {

/// How far a shard is, for the thread that supervises it.
struct ShardProgress {
  std::atomic<std::uint64_t> ticks = 0;
  std::atomic<std::size_t> clients = 0;  ///< that play
  std::atomic<std::uint32_t> seats_held = 0;
  std::atomic<bool> has_empty_room = false;  ///< one that is to be closed
  std::atomic<bool> has_run = false;         ///< its loop has ended, by itself or on request
  std::atomic<bool> has_ended = false;       ///< its thread uses nothing any more
};

struct ShardHost {
  std::size_t index = 0;
  std::unique_ptr<os::UdpTransport> transport{};
  std::vector<net::Address> addresses{};  ///< that a token may name; empty: any
  os::SystemEntropy entropy{};
  std::vector<std::unique_ptr<ServedRoom>> rooms{};  ///< by the order in which they were opened
  std::optional<Shard> shard{};
  ShardStatus status{};  ///< the last copy for the admin side, as `clients`
  ClientList clients{};

  // For all threads.
  Mailbox orders{};
  ShardProgress progress{};
  std::atomic<bool> stop_asked = false;

  /// Opens a room that is ready. Thread: the shard's, as close(); also another before it runs.
  void open(std::unique_ptr<ServedRoom> room, Instant now);

  /// Returns whether clients reach this shard at an address. Thread: any.
  [[nodiscard]] bool is_at(const net::Address& address) const;

  /// Closes a room: its clients leave and its log ends. Returns it, for its files to be closed;
  /// nullptr if there is no such room.
  [[nodiscard]] std::unique_ptr<ServedRoom> close(RoomId id, Instant now);

  /// Copies the status for the admin side. Thread: the shard's.
  void publish(AdminServer& admin, Instant last_tick, Instant now);
};

}  // namespace tickbox::server
