#pragma once
// What a crowd of clients, honest or hostile, costs a server per tick: receive, tick and send in
// one thread, on a virtual network.

#include "tests/threats/peers/raw_peer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::bench {

/// What the clients of a crowd acknowledge.
enum class Acks : std::uint8_t {
  Newest,  ///< the view of the tick before, as an honest client does
  Ageing,  ///< the newest view once in 55 ticks, so that the base grows old
  Late,    ///< the view of 50 ticks ago, in each tick
};

struct CrowdCase {
  std::string name;
  std::size_t clients = 1'000;  ///< clients that change their sticks in each tick
  std::size_t honest = 4;       ///< production clients beside them
  bool is_dense = true;         ///< all are in sight of each other, or spread over the map
  Acks acks = Acks::Newest;
  std::uint32_t ray_interval = 0;  ///< ticks between volleys of rays; 0: none
};

/// Processor time in milliseconds.
struct CrowdCost {
  double median = 0;
  double p99 = 0;
  double p999 = 0;
  double volley_extra = 0;     ///< a tick with a volley, more than the median of the others
  double volley_stepping = 0;  ///< likewise without sending: rays, hits, places, events
  double gap_p99 = 0;          ///< ticks between the views of an honest client
  std::uint64_t mismatches = 0;
  std::uint64_t full = 0;     ///< full views sent
  std::uint64_t put_off = 0;  ///< snapshots put off
  std::uint64_t hits = 0;
};

[[nodiscard]] CrowdCost measure_crowd(const CrowdCase& of, int ticks);

}  // namespace tickbox::bench
