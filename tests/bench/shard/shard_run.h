#pragma once
// What a client costs a shard per tick, on real sockets of loopback and a virtual clock. The shard
// and its clients take turns on two threads. So the datagrams depend on the case alone, also on a
// busy machine. Only the thread of the shard is timed.

#include "tickbox/game_table.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tickbox::bench {

inline constexpr std::uint32_t kTickRate = 60;
/// In each slice of a tick every kSlices-th client has its turn, then the shard receives.
inline constexpr std::size_t kSlices = 16;

struct ShardCase {
  const GameTable* game = nullptr;
  std::size_t rooms = 1;
  std::size_t clients = 400;    ///< of each room
  std::size_t empty_rooms = 0;  ///< more rooms, which have no client, and a log in memory
  std::uint32_t seats = 0;      ///< of each room; 0: one for each client
  std::size_t full = 16;        ///< every how many clients is a production client; 0: none
  std::uint32_t lag = 2;        ///< ticks from a view's step to that of the view that builds on it
  std::uint32_t snapshot_rate = 0;  ///< per second, to each client; 0: one each tick
  std::string bot = "wander";
  int ticks = 600;  ///< that are measured
  std::uint64_t seed = 7;
};

/// The phases of a tick, in the order in which they run.
enum class ShardPhase : std::uint8_t { Receive, Step, Send };
inline constexpr std::size_t kShardPhases = 3;

struct ShardCost {
  /// Processor time by phase, in microseconds for each client and tick.
  std::array<double, kShardPhases> phases{};
  std::vector<double> ticks;  ///< milliseconds of each tick
  std::vector<double> steps;  ///< milliseconds of each tick's step
  // For each client and tick.
  double sent = 0;         ///< snapshots
  double quiet = 0;        ///< snapshots not sent: the client can compute their content
  double substituted = 0;  ///< inputs that had not arrived
  // For each snapshot sent.
  double bytes = 0;  ///< UDP payload
  double members = 0;
  double input_bytes = 0;  ///< UDP payload of each packet received
  /// Resident memory of an empty room; that of the shard itself and of the map is in the first.
  double room_bytes = 0;
  double client_bytes = 0;  ///< resident memory at the shard for each client, beside its seat
  // Of the rooms before the first client comes.
  double empty_room_ns = 0;      ///< processor time of step and send, for each room and tick
  double empty_tick_ms_max = 0;  ///< of step and send of all rooms, in the longest tick
  std::uint64_t hashes_checked = 0;
  std::uint64_t hashes_wrong = 0;
  std::size_t dropped = 0;  ///< clients

  [[nodiscard]] double total() const {
    double sum = 0;
    for (const double phase : phases) {
      sum += phase;
    }
    return sum;
  }
};

/// Throws std::runtime_error if the machine does not give the sockets.
[[nodiscard]] ShardCost measure_shard(const ShardCase& of);

}  // namespace tickbox::bench
