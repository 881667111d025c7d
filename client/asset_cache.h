#pragma once
// The games and maps that the clients of one thread share. A map is kept while a client uses it: a
// hostile server could name thousands of maps, one after the other.

#include "engine/identity.h"
#include "engine/map.h"
#include "net/handshake.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::client {

class AssetCache {
 public:
  explicit AssetCache(engine::Games games) : games_(games) {}

  /// Returns what `accept` names.
  /// Fails: if this program does not have the server's game, map and rules.
  /// Cost: if no client uses the map, that of engine::find_game_on_map().
  [[nodiscard]] std::expected<engine::GameOnMap, engine::OtherBuild> find(
      const net::Accept& accept);

 private:
  /// What a server plays, and its ticks per second.
  using Played = std::pair<engine::Identity, std::uint32_t>;

  struct Kept {
    Played played;
    const GameTable* game = nullptr;
    std::weak_ptr<const engine::Map> map;
  };

  engine::Games games_;
  std::optional<std::pair<Played, engine::OtherBuild>> refused_;  ///< the last one
  std::vector<Kept> kept_;
};

}  // namespace tickbox::client
