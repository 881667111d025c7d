#include "client/views/ground.h"

namespace tickbox::client {

game::SharedMap Grounds::map(std::uint32_t seats) {
  game::SharedMap& map = maps_[seats];
  if (map == nullptr) map = games_.make_map(seats);
  return map;
}

std::shared_ptr<const game::Rules> Grounds::rules(std::string_view name,
                                                  std::uint32_t ticks_per_second) {
  std::shared_ptr<const game::Rules>& rules = rules_[{std::string{name}, ticks_per_second}];
  if (rules == nullptr) rules = games_.make_rules(name, ticks_per_second);
  return rules;
}

}  // namespace tickbox::client
