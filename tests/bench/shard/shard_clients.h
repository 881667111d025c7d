#pragma once
// The clients of the shard that is measured, each on a socket of its own. Some are full, and check
// every hash; the others are light.

#include "client/client.h"
#include "os/net/udp_transport.h"
#include "server/shard/hosted_room.h"
#include "tests/bench/shard/lagging_transport.h"
#include "tests/bench/shard/shard_run.h"
#include "tests/support/virtual_time.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::bench {

/// An IPv4 address of loopback with a free port.
[[nodiscard]] net::Address loopback_address();

class ShardClients {
 public:
  /// Borrows `game`, `clock` and `rooms`. `server`: the shard's address.
  ShardClients(const ShardCase& of, const GameTable& game, net::Address server,
               const tests::VirtualClock& clock, std::span<const server::RoomParts> rooms);

  /// Adds a client, which begins to connect. The rooms get clients by turns. Throws
  /// std::runtime_error if it gets no socket.
  void add();

  /// Polls every kSlices-th client, from number `slice` on.
  void poll(std::size_t slice);

  [[nodiscard]] std::size_t size() const { return clients_.size(); }

  /// Returns the number of clients that are not connected, or not in their first session.
  [[nodiscard]] std::size_t dropped() const;

  /// Hashes of the views of the full clients.
  struct Hashes {
    std::uint64_t checked = 0;
    std::uint64_t wrong = 0;
  };

  [[nodiscard]] Hashes hashes() const;

 private:
  struct One {
    std::unique_ptr<os::UdpTransport> socket;
    std::unique_ptr<LaggingTransport> link;
    std::unique_ptr<client::Client> client;
  };

  const ShardCase& of_;
  const GameTable* game_;
  net::Address server_;
  const tests::VirtualClock& clock_;
  std::span<const server::RoomParts> rooms_;
  tests::VirtualCalendar calendar_;
  tests::SeededEntropy entropy_;
  client::Shared shared_;
  std::vector<One> clients_;
};

}  // namespace tickbox::bench
