#pragma once
// Which spawn points are free. However many players appear in one tick, and however full the room
// is: the bodies are walked at most once for each spawn point, and once more when a body has left
// it.

#include "game/world.h"
#include "games/arena/arena_map.h"
#include "games/arena/occupied_cells.h"
#include "sim/box.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tickbox::game {

/// Valid while no body moves or is removed, but for those that it hears of.
class FreePlaces {
 public:
  explicit FreePlaces(const World& world) : world_(world), cells_(world) {}

  /// Returns whether a player at this spawn point overlaps no body.
  [[nodiscard]] bool is_free(std::size_t place) {
    const Vec2 at = point(place);
    if (is_known_taken(place)) return false;
    if (!cells_.may_overlap(at)) return true;
    const sim::Box box = sim::box_of(at, kPlayerSize);
    const bool taken = std::ranges::any_of(world_.physics().movers(), [&](const sim::Body& body) {
      return sim::overlap(box, sim::box_of(body.min, body.size));
    });
    if (taken) word_of(place) |= bit_of(place);
    return !taken;
  }

  /// A player has appeared at this spawn point.
  void on_taken(std::size_t place) {
    cells_.add(point(place));
    word_of(place) |= bit_of(place);
  }

  /// A player has been taken away from `min`.
  void on_left(Vec2 min) {
    const sim::Box left = sim::box_of(min, kPlayerSize);
    const std::size_t words = (world_.map()->spawn_points.size() + kWordBits - 1) / kWordBits;
    for (std::size_t word = 0; word < words; ++word) {
      for (std::uint64_t rest = known_taken_[word]; rest != 0; rest &= rest - 1) {
        const std::size_t place =
            word * kWordBits + static_cast<std::size_t>(std::countr_zero(rest));
        if (sim::overlap(left, sim::box_of(point(place), kPlayerSize))) {
          known_taken_[word] &= ~bit_of(place);
        }
      }
    }
  }

 private:
  static constexpr std::size_t kWordBits = 64;
  static constexpr std::size_t kPlacesMax = std::size_t{1} << 16;  ///< Teleport::place has 16 bits

  [[nodiscard]] Vec2 point(std::size_t place) const { return world_.map()->spawn_points[place]; }

  [[nodiscard]] static std::uint64_t bit_of(std::size_t place) {
    return std::uint64_t{1} << (place % kWordBits);
  }

  [[nodiscard]] std::uint64_t& word_of(std::size_t place) {
    return known_taken_[place / kWordBits];
  }

  [[nodiscard]] bool is_known_taken(std::size_t place) {
    return (word_of(place) & bit_of(place)) != 0;
  }

  const World& world_;
  OccupiedCells cells_;
  std::array<std::uint64_t, kPlacesMax / kWordBits> known_taken_{};  ///< a bit for each place
};

}  // namespace tickbox::game
