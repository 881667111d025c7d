#pragma once
// What a room is like at one moment, for those who watch the server.

#include "core/ids.h"
#include "engine/map.h"
#include "server/shard/metrics.h"
#include "tickbox/game_table.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace tickbox::server {

struct RoomStatus {
  RoomId id;
  const GameTable* game = nullptr;
  engine::SharedMap map;
  Tick tick;
  std::uint32_t players = 0;     ///< clients that play
  std::uint32_t seats_held = 0;  ///< that no newcomer gets
  std::uint32_t seats = 0;
  std::array<std::uint64_t, kKindsMax> entities_of_kind{};
  RecordingMetrics recording{};     ///< set by the owner of its files
  std::uint64_t log_followers = 0;  ///< streams of its log that are open; set by the same

  [[nodiscard]] std::uint64_t entities() const {
    return std::reduce(entities_of_kind.begin(), entities_of_kind.end());
  }
};

}  // namespace tickbox::server
