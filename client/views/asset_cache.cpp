#include "client/views/asset_cache.h"

namespace tickbox::client {

game::SharedMap AssetCache::map(std::uint32_t seats) {
  std::weak_ptr<const game::Map>& kept = maps_[seats];
  game::SharedMap map = kept.lock();
  if (map == nullptr) kept = map = games_.make_map(seats);
  return map;
}

std::shared_ptr<const game::Rules> AssetCache::rules(std::string_view name,
                                                     std::uint32_t ticks_per_second) {
  const std::pair key{std::string{name}, ticks_per_second};
  if (const auto kept = rules_.find(key); kept != rules_.end()) return kept->second;
  std::shared_ptr<const game::Rules> rules = games_.make_rules(name, ticks_per_second);
  if (rules != nullptr) rules_.emplace(key, rules);
  return rules;
}

}  // namespace tickbox::client
