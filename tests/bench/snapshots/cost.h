#pragma once
// What snapshots cost a processor: on the server per tick and per client, on a client per snapshot.

#include "tests/bench/arena/stroller.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tickbox::bench {

struct CostCase {
  std::string_view name;
  std::size_t clients = 0;
  Strolls stroll = Strolls::Calmly;
  std::uint32_t base_age = 0;  ///< in ticks
};

/// Microseconds of this thread's processor time.
struct SnapshotCost {
  CostCase of;
  double members = 0;          ///< of a view, on average
  double bytes = 0;            ///< of a datagram, on average
  double step_us = 0;          ///< the room's tick: physics, rules, hashes, islands and causes
  double plan_us = 0;          ///< per client: what to tell, and the view's hash
  double encode_us = 0;        ///< per client
  double seal_us = 0;          ///< per client
  double replica_us = 0;       ///< per snapshot, of a client that holds the view of the tick before
  double late_replica_us = 0;  ///< per snapshot, of one that must replay from the base
  double log_us = 0;           ///< the room's tick, written for recordings
  std::uint64_t mismatches = 0;

  /// All of a tick but input and output.
  [[nodiscard]] double tick_us() const {
    return step_us + static_cast<double>(of.clients) * (plan_us + encode_us + seal_us);
  }
};

/// Strollers on the map of the arena, each in view of some 64 bodies, for `ticks` ticks.
[[nodiscard]] SnapshotCost measure_cost(const CostCase& of, int ticks);

[[nodiscard]] std::string text_of(const SnapshotCost& cost);

}  // namespace tickbox::bench
