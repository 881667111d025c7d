#pragma once
// A room of a server: its match, and the files to which its log goes.

#include "core/ids.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "server/host/options.h"
#include "server/host/recordings/recordings.h"
#include "server/match/match.h"
#include "server/shard/hosted_room.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::server {

/// The most rooms of a server.
inline constexpr std::uint32_t kRoomsMax = 1'024;

/// A game on one of its maps, which rooms share.
struct ServedGame {
  const GameTable* game = nullptr;
  engine::SharedMap map;
  engine::Identity identity;

  /// Requires: a map that the game lists. Cost: as engine::game_hash().
  [[nodiscard]] static std::shared_ptr<const ServedGame> make(const GameTable& game,
                                                              std::string_view map,
                                                              const Options& options);
};

/// A room to be opened.
struct RoomPlan {
  RoomId id;
  std::shared_ptr<const ServedGame> of;
  std::uint64_t seed = 0;    ///< of the match
  bool writes_page = false;  ///< see RecordedRoom
};

struct ServedRoom {
  RoomId id;
  std::shared_ptr<const ServedGame> of;
  std::unique_ptr<Match> match;
  std::unique_ptr<Recordings> recordings;

  /// Makes the match, and opens its files; may wait for the disk. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<ServedRoom>, std::string> open(
      const Options& options, const RecordingsParts& parts, RoomPlan plan);

  [[nodiscard]] RoomParts parts() {
    return {
        .match = *match, .id = id, .recorder = &recordings->recorder(), .identity = of->identity};
  }
};

}  // namespace tickbox::server
