#pragma once
// The maps and rules that the clients of one process stand on: each made once and shared.

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

class Grounds {
 public:
  explicit Grounds(game::Catalog games) : games_(std::move(games)) {}

  /// Requires: 1 ≤ seats ≤ game::kSeatsMax.
  game::SharedMap map(std::uint32_t seats);

  /// Nothing, when these rules or this rate are not known here.
  std::shared_ptr<const game::Rules> rules(std::string_view name, std::uint32_t ticks_per_second);

 private:
  game::Catalog games_;
  std::map<std::uint32_t, game::SharedMap> maps_;
  std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const game::Rules>> rules_;
};

}  // namespace tickbox::client
