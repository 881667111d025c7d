#include "client/asset_cache.h"

namespace tickbox::client {
namespace {

constexpr std::string_view kWho = "the server";

engine::Identity identity_of(const net::Accept& accept) {
  return {.game = accept.game,
          .version = accept.game_version,
          .game_hash = accept.game_hash,
          .map_seats = accept.map_seats,
          .map_hash = accept.map_hash};
}

}  // namespace

std::expected<Assets, std::string> AssetCache::find(const net::Accept& accept) {
  const engine::Identity identity = identity_of(accept);
  const auto game = find_game(identity);
  if (!game) return std::unexpected{game.error()};
  const MapKey key{*game, identity.map_seats, accept.tick_rate, identity.map_hash};
  const auto kept = maps_.find(key);
  if (kept != maps_.end()) {
    engine::SharedMap map = kept->second.lock();
    if (map != nullptr) {
      return Assets{.game = *game, .map = std::move(map), .tick_rate = accept.tick_rate};
    }
  }
  auto map = engine::find_map(**game, identity, accept.tick_rate, kWho);
  if (!map) return std::unexpected{std::move(map.error())};
  std::erase_if(maps_, [](const auto& each) { return each.second.expired(); });
  maps_[key] = *map;
  return Assets{.game = *game, .map = *std::move(map), .tick_rate = accept.tick_rate};
}

std::expected<const GameTable*, std::string> AssetCache::find_game(
    const engine::Identity& identity) {
  const GameTable* named = engine::find_game(games_, identity.game);
  const auto known = hashes_.find(named);
  if (known != hashes_.end() && known->second == identity.game_hash &&
      named->version == identity.version) {
    return named;
  }
  if (refused_ && refused_->first == identity) return std::unexpected{refused_->second};
  auto game = engine::find_game(games_, identity, kWho);
  if (game) {
    hashes_[*game] = identity.game_hash;
  } else {
    refused_ = {identity, game.error()};
  }
  return game;
}

}  // namespace tickbox::client
