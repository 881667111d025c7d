#pragma once
// A room of a server: its match, and the files to which its log goes.

#include "core/clock.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "engine/map.h"
#include "engine/world.h"
#include "server/host/base/background_call.h"
#include "server/host/base/options.h"
#include "server/host/recordings/recordings.h"
#include "server/match/match.h"
#include "server/shard/hosted_room.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

/// A match that goes on here, and its world.
struct ArrivedMatch {
  std::shared_ptr<const MovedMatch> match;
  engine::World world;
};

/// A room to be opened.
struct RoomPlan {
  RoomId id;
  const GameTable* game = nullptr;
  std::string_view map;                       ///< of the game; of no moved match
  std::uint64_t seed = 0;                     ///< of the match
  std::uint64_t rooms_open = 1;               ///< see RecordedRoom
  std::shared_ptr<const MovedMatch> moved{};  ///< nullptr: the room begins a match
};

struct ServedRoom {
  RoomId id;
  std::shared_ptr<const ServedGame> of;
  std::unique_ptr<Match> match;
  std::unique_ptr<Recordings> recordings;
  std::shared_ptr<const ArrivedMatch> arrived;  ///< until its players have their seats
  Duration close_when_empty{};                  ///< see RoomParts

  /// Makes the match, and opens its files; may wait for the disk. `of`: the game and the map of the
  /// plan. `page`: see RecordedRoom. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<ServedRoom>, std::string> open(
      const Options& options, const RecordingsParts& parts, const RoomPlan& plan,
      std::shared_ptr<const ServedGame> of, std::string_view page,
      std::shared_ptr<const ArrivedMatch> arrived = {});

  [[nodiscard]] RoomParts parts() {
    return {.match = *match,
            .id = id,
            .recorder = &recordings->recorder(),
            .identity = of->identity,
            .close_when_empty = close_when_empty};
  }
};

/// A room that is closed, while its files are closed on a thread of their own.
struct ClosingRoom {
  std::unique_ptr<ServedRoom> room;
  BackgroundCall<std::expected<void, std::string>> call;

  /// Requires: no shard has the room any more.
  [[nodiscard]] static std::unique_ptr<ClosingRoom> begin(std::unique_ptr<ServedRoom> room) {
    auto closing = std::make_unique<ClosingRoom>();
    closing->room = std::move(room);
    closing->call.begin("closing", [&recordings = *closing->room->recordings] {
      auto closed = recordings.close();
      recordings.remove_old();
      return closed;
    });
    return closing;
  }
};

}  // namespace tickbox::server
