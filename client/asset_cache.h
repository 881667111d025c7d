#pragma once
// The games and maps that the clients of one thread share (shared.h). A map is kept while a client
// uses it: a hostile server could name thousands of maps, one after the other.

#include "engine/identity.h"
#include "engine/map.h"
#include "net/handshake.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace tickbox::client {

/// What a room plays.
struct Assets {
  const GameTable* game = nullptr;
  engine::SharedMap map;
  std::uint32_t tick_rate = 0;

  friend bool operator==(const Assets&, const Assets&) = default;
};

class AssetCache {
 public:
  explicit AssetCache(engine::Games games) : games_(games) {}

  /// Returns what `accept` names.
  /// Fails: a reason in words, if this program does not have the server's game and map.
  /// Cost: the first time for a game the hash of its rules; for a map that no client uses, the map.
  [[nodiscard]] std::expected<Assets, std::string> find(const net::Accept& accept);

 private:
  /// Game, seats, tick rate and hash.
  using MapKey = std::tuple<const GameTable*, std::uint32_t, std::uint32_t, std::uint64_t>;

  [[nodiscard]] std::expected<const GameTable*, std::string> find_game(
      const engine::Identity& identity);

  engine::Games games_;
  std::map<const GameTable*, std::uint64_t> hashes_;  ///< of the games that servers have played
  std::optional<std::pair<engine::Identity, std::string>> refused_;  ///< the last one, and why
  std::map<MapKey, std::weak_ptr<const engine::Map>> maps_;
};

}  // namespace tickbox::client
