#pragma once
// The maps and rules that the clients of one process stand on: each made once and shared.

#include "game/map.h"
#include "game/rules.h"
#include "games/arena/arena_map.h"
#include "games/catalog.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace tickbox::client {

/// Rules by their name and the ticks per second, or nullptr.
using MakeRules =
    std::function<std::shared_ptr<const game::Rules>(std::string_view, std::uint32_t)>;

/// The map for so many seats.
using MakeMap = std::function<game::SharedMap(std::uint32_t)>;

class Grounds {
 public:
  /// By all the rules there are and the built-in map, if not told otherwise.
  explicit Grounds(MakeRules make_rules = game::make_rules, MakeMap make_map = game::make_arena_map)
      : make_rules_(std::move(make_rules)), make_map_(std::move(make_map)) {}

  /// Requires: 1 ≤ seats ≤ game::kSeatsMax.
  game::SharedMap map(std::uint32_t seats);

  /// Nothing, when these rules or this rate are not known here.
  std::shared_ptr<const game::Rules> rules(std::string_view name, std::uint32_t ticks_per_second);

 private:
  MakeRules make_rules_;
  MakeMap make_map_;
  std::map<std::uint32_t, game::SharedMap> maps_;
  std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const game::Rules>> rules_;
};

}  // namespace tickbox::client
