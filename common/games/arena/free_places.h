#pragma once
// Which spawn points are free: for each, the number of bodies that overlap it. The bodies are
// walked once, however many players appear in one tick and however full the room is.

#include "core/assert.h"
#include "game/world.h"
#include "games/arena/arena_map.h"
#include "sim/box.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tickbox::game {

/// Valid while no body moves or is removed, but for those that it hears of.
class FreePlaces {
 public:
  /// Requires: no body is larger than a player.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as there are places
  explicit FreePlaces(const World& world) : points_(world.map()->spawn_points) {
    TICKBOX_ASSERT(points_.size() <= kPlacesMax);
    std::ranges::fill(std::span{overlaps_}.first(points_.size()), 0);
    for (std::size_t place = 0; place < points_.size(); ++place) {
      std::uint32_t& last =
          last_of_list_[list_of(points_[place].x / kUnit, points_[place].y / kUnit)];
      previous_[place] = last;
      last = static_cast<std::uint32_t>(place + 1);
    }
    for (const sim::Body& body : world.physics().movers()) {
      visit_overlapped(sim::box_of(body.min, body.size),
                       [this](std::size_t place) { ++overlaps_[place]; });
    }
  }

  /// Returns whether a player at this spawn point overlaps no body.
  [[nodiscard]] bool is_free(std::size_t place) const { return overlaps_[place] == 0; }

  /// A player has appeared at this spawn point.
  void on_taken(std::size_t place) {
    visit_overlapped(sim::box_of(points_[place], kPlayerSize),
                     [this](std::size_t other) { ++overlaps_[other]; });
  }

  /// A player has been taken away from `min`.
  void on_left(Vec2 min) {
    visit_overlapped(sim::box_of(min, kPlayerSize),
                     [this](std::size_t place) { --overlaps_[place]; });
  }

 private:
  static constexpr std::size_t kPlacesMax = std::size_t{1} << 16;  ///< Teleport::place has 16 bits
  /// A cell is one square unit. Cells that are 64 units apart share a list.
  static constexpr std::uint32_t kSide = 64;
  static constexpr std::uint32_t kNone = 0;

  [[nodiscard]] static std::size_t list_of(std::int32_t x, std::int32_t y) {
    return static_cast<std::uint32_t>(y) % kSide * kSide + static_cast<std::uint32_t>(x) % kSide;
  }

  /// Calls visit(place) for each spawn point at which a player would overlap `box`.
  template <class Visit>
  void visit_overlapped(const sim::Box& box, Visit&& visit) {
    const auto cell = [](std::int64_t at) { return static_cast<std::int32_t>(at / kUnit); };
    const Vec2 first{cell(box.min[0] - kPlayerSize.x), cell(box.min[1] - kPlayerSize.y)};
    const Vec2 last{cell(box.max[0]), cell(box.max[1])};
    for (std::int32_t y = first.y; y <= last.y; ++y) {
      for (std::int32_t x = first.x; x <= last.x; ++x) {
        for (std::uint32_t at = last_of_list_[list_of(x, y)]; at != kNone; at = previous_[at - 1]) {
          if (sim::overlap(box, sim::box_of(points_[at - 1], kPlayerSize))) visit(at - 1);
        }
      }
    }
  }

  std::span<const Vec2> points_;
  // By spawn point. The constructor fills in as many as there are: to zero the rest of 512 KiB
  // would cost more than the walk.
  std::array<std::uint32_t, kPlacesMax> overlaps_;  ///< bodies
  std::array<std::uint32_t, kPlacesMax> previous_;  ///< in the list of its cell: a place + 1
  std::array<std::uint32_t, std::size_t{kSide} * kSide> last_of_list_{};  ///< likewise
};

}  // namespace tickbox::game
