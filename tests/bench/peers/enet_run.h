#pragma once
// What a client costs a server of ENet per tick: the processor time of its thread alone, while the
// clients run on another thread.

#include "tests/bench/peers/enet_hosts.h"

#include <cstdint>
#include <vector>

namespace tickbox::bench {

/// When the server receives.
enum class EnetReceives : std::uint8_t {
  /// Once a tick. Server and clients take turns, as in tickbox-bench-shard.
  Once,
  /// Between the ticks it waits in enet_host_service(), as ENet's tutorial does: each packet can
  /// wake it. Server and clients run at once, at 60 ticks a second.
  Waiting,
};

struct EnetCost {
  // Microseconds for each client and tick.
  double receive = 0;  ///< with what waiting takes
  double send = 0;
  std::vector<double> ticks;  ///< milliseconds of each tick
  // For each client and tick.
  double sent = 0;      ///< snapshots
  double received = 0;  ///< inputs
  // For each datagram.
  double bytes = 0;  ///< UDP payload
  double input_bytes = 0;
  std::size_t dropped = 0;  ///< clients
};

/// Throws std::runtime_error if the machine does not give the sockets.
[[nodiscard]] EnetCost measure_enet(const EnetLoad& load, EnetReceives receives, int ticks);

}  // namespace tickbox::bench
