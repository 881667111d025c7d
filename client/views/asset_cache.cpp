#include "client/views/asset_cache.h"

namespace tickbox::client {

game::SharedMap AssetCache::map(std::uint32_t seats) {
  game::SharedMap& map = maps_[seats];
  if (map == nullptr) map = games_.make_map(seats);
  return map;
}

std::shared_ptr<const game::Rules> AssetCache::rules(std::string_view name,
                                                     std::uint32_t ticks_per_second) {
  std::shared_ptr<const game::Rules>& rules = rules_[{std::string{name}, ticks_per_second}];
  if (rules == nullptr) rules = games_.make_rules(name, ticks_per_second);
  return rules;
}

}  // namespace tickbox::client
