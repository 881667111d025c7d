#include "games/catalog.h"

#include "games/arena/arena.h"
#include "games/arena/arena_map.h"

namespace tickbox::game {

static_assert(kTickRateMax <= kArenaTickRateMax);

std::shared_ptr<const Rules> make_rules(std::string_view name, std::uint32_t ticks_per_second) {
  if (ticks_per_second < kTickRateMin || ticks_per_second > kTickRateMax || name != "arena") {
    return nullptr;
  }
  return std::make_shared<const Arena>(ticks_per_second);
}

Catalog all_games() {
  return {.make_rules = make_rules, .make_map = make_arena_map};
}

}  // namespace tickbox::game
