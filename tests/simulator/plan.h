#pragma once
// The decisions that a seed makes in advance: the room, its players and their links.

#include "core/clock.h"
#include "net/link_simulator.h"
#include "server/shard/limits.h"
#include "tests/simulator/plant.h"
#include "tests/simulator/profile.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::simulator {

/// The clients of a match that is measured.
inline constexpr std::uint32_t kBenchClients = 16;

struct PlannedClient {
  net::LinkConditions link;
  std::int32_t drift_ppm = 0;
  Duration turn{};       ///< time between polls of its loop; 0: it is woken when it asks for it
  bool watches = false;  ///< its presentation is queried
};

/// Half the extent of what players see.
using SightHook = Vec2 (*)(const void* avatar);

struct Plan {
  const GameTable* game = nullptr;
  std::string_view map;  ///< of the game
  std::uint64_t seed = 1;
  Profile profile = Profile::Lan;
  Duration length{};
  Plant plant = Plant::None;
  bool is_bench = false;
  std::uint32_t tick_rate = 60;
  std::uint32_t snapshot_rate = 0;  ///< 0: one per tick
  std::uint32_t seats = 0;
  bool is_crowded = false;                               ///< some clients find no free seat
  SightHook sight = nullptr;                             ///< nullptr: that of the game
  server::Rate snapshot_bytes = server::kSnapshotBytes;  ///< budget per client
  std::string bot = "mix";                               ///< a style
  // A recording continues in another file after this many; 0: no such limit.
  std::uint32_t rotate_ticks = 0;
  std::uint64_t rotate_bytes = 0;
  std::size_t disk_queue_bytes = 0;  ///< limit of the bytes that wait for the disk
  std::vector<PlannedClient> clients;
};

struct PlanOptions {
  const GameTable* game = nullptr;  ///< nullptr: the arena
  std::uint64_t seed = 1;
  Profile profile = Profile::Lan;
  Duration length = std::chrono::minutes{1};
  Plant plant = Plant::None;
  bool is_bench = false;  ///< kBenchClients that play at 60 Hz; otherwise the seed decides
};

/// Returns the game with this name. Fails: one line that names them all.
[[nodiscard]] std::expected<const GameTable*, std::string> parse_game(std::string_view text);

[[nodiscard]] Plan make_plan(const PlanOptions& options);

}  // namespace tickbox::simulator
