#pragma once
// One match, and what its clients were sent.

#include "net/link_simulator.h"
#include "server/shard/metrics.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::bench {

struct BandwidthCase {
  std::string_view name;
  net::LinkConditions link;
  std::uint32_t snapshot_rate = 60;
  const GameTable* game = nullptr;
  std::string_view bot = "stroll";  ///< a style of the game, or that of bench/arena/stroller.h
  std::size_t clients = 64;
  std::uint32_t seats = 64;  ///< seats of the map
};

/// The cases whose figures tests/EVIDENCE.md has.
[[nodiscard]] std::vector<BandwidthCase> bandwidth_cases();

struct Bandwidth {
  std::string_view name;
  std::uint32_t snapshot_rate = 0;
  double bytes_per_second = 0;  ///< UDP payload down, the median over clients
  double up_per_second = 0;     ///< UDP payload up, the median over clients
  double snapshots_per_second = 0;
  double members = 0;                                  ///< of a view, on average
  std::array<double, server::kSnapshotParts> parts{};  ///< bytes per client and second, on average
  double ratio = 0;              ///< of whole snapshots, at 16 bytes a body, to these
  std::size_t datagram_max = 0;  ///< bytes
  double touched = 0;            ///< share of predictions in which another mover had a part
  double exact = 0;              ///< share of predictions of untouched bodies that were right
  double late = 0;               ///< share of inputs that the server replaced
  double replayed = 0;           ///< ticks stepped for a snapshot, on average
  std::uint64_t mismatches = 0;
};

[[nodiscard]] Bandwidth measure_bandwidth(const BandwidthCase& one, int seconds,
                                          std::uint64_t seed);

[[nodiscard]] std::string bandwidth_head();
[[nodiscard]] std::string row_of(const Bandwidth& measured);
[[nodiscard]] std::string json_of(std::span<const Bandwidth> measured);

}  // namespace tickbox::bench
