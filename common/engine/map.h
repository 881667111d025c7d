#pragma once
// The map of a room as a game's map() builds it: walls, paths, and named places.

#include "sim/box.h"
#include "sim/statics.h"
#include "tickbox/game_table.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::engine {

/// The objects of one kind.
struct ObjectList {
  std::string kind;
  std::vector<MapObject> objects;
};

/// Thread: immutable once made, so rooms and clients of one process share it.
struct Map {
  sim::SharedStatics statics;
  std::vector<ObjectList> objects;  ///< in the order of the first object of each kind
  std::uint32_t seats = 0;
  std::string_view name;  ///< of GameTable::maps; empty if the game lists none
  /// Entities that are outside of it are removed; the whole world if no border removes.
  sim::Box inside = sim::kWholeWorld;
  std::uint64_t hash = 0;  ///< XXH3-64 over all of it but the name
};

using SharedMap = std::shared_ptr<const Map>;

/// Makes the map that `options` names, by default the game's first.
/// Requires: 1 ≤ options.seats ≤ kSeatsMax, and a name that the game lists.
[[nodiscard]] SharedMap make_map(const GameTable& game, const MapOptions& options,
                                 std::uint32_t tick_rate);

[[nodiscard]] MapObjects objects_of(const Map& map, std::string_view kind);

/// Returns whether a box overlaps a wall; a size of 0 counts as one sub-unit.
[[nodiscard]] bool overlaps_wall(const Map& map, Vec2 min, Vec2 size);

}  // namespace tickbox::engine
