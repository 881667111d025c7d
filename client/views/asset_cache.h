#pragma once
// A cache of the maps and rules for all clients of one process, which share them. A map is kept
// while a client uses it: a hostile server could name thousands of maps, one after the other.

#include "game/catalog.h"
#include "game/map.h"
#include "game/rules.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::client {

class AssetCache {
 public:
  explicit AssetCache(game::Catalog games) : games_(std::move(games)) {}

  /// Returns the map for this number of seats. Requires: 1 ≤ seats ≤ game::kSeatsMax.
  game::SharedMap map(std::uint32_t seats);

  /// Returns the rules for this tick rate; nullptr if the catalog lacks the name or the rate.
  std::shared_ptr<const game::Rules> rules(std::string_view name, std::uint32_t ticks_per_second);

 private:
  game::Catalog games_;
  std::map<std::uint32_t, std::weak_ptr<const game::Map>> maps_;  ///< by seats
  std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const game::Rules>> rules_;
};

}  // namespace tickbox::client
