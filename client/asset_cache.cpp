#include "client/asset_cache.h"

#include <memory>

namespace tickbox::client {
namespace {

engine::Identity identity_of(const net::Accept& accept) {
  return {.game = accept.game,
          .version = accept.game_version,
          .game_hash = accept.game_hash,
          .map_seats = accept.map_seats,
          .map_hash = accept.map_hash};
}

}  // namespace

std::expected<engine::GameOnMap, engine::OtherBuild> AssetCache::find(const net::Accept& accept) {
  const Played played{identity_of(accept), accept.tick_rate};
  for (const Kept& each : kept_) {
    if (each.played != played) continue;
    engine::SharedMap map = each.map.lock();
    if (map == nullptr) continue;
    return engine::GameOnMap{each.game, std::move(map), accept.tick_rate};
  }
  if (refused_ && refused_->first == played) return std::unexpected{refused_->second};
  auto found = engine::find_game_on_map(games_, played.first, accept.tick_rate, "the server");
  if (!found) {
    refused_ = {played, found.error()};
    return std::unexpected{std::move(found.error())};
  }
  std::erase_if(kept_, [](const Kept& each) { return each.map.expired(); });
  kept_.push_back({.played = played, .game = found->game, .map = found->map});
  return found;
}

}  // namespace tickbox::client
