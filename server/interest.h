#pragma once
// Who sees what: the entities around a player's body, and nothing outside.

#include "server/room.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// Half the width and height of what a client sees, in units: a 16:10 screen and a margin.
inline constexpr std::int32_t kViewHalfWidthUnits = 24;
inline constexpr std::int32_t kViewHalfHeightUnits = 16;
/// Who is seen stays seen until it is this much further away, in units: so nobody who walks along
/// the edge comes and goes all the time.
inline constexpr std::int32_t kViewHysteresisUnits = 4;

/// The larger of the distances along x and y, in sub-units.
[[nodiscard]] std::int64_t distance(Vec2 a, Vec2 b);

/// Whether somebody at `centre` who has seen what is at `place` goes on seeing it.
[[nodiscard]] bool stays_in_sight(Vec2 centre, Vec2 place);

class Interest {
 public:
  /// Looks at the room's entities once, for all of this tick's views.
  void look(const Room& room);

  /// Indices into room.entities() of what is to be seen from `centre`, ascending. Valid until the
  /// next call.   Cost: no allocation once warm.
  [[nodiscard]] std::span<const std::uint32_t> seen_from(Vec2 centre);

 private:
  struct Column {
    std::int32_t x;
    std::uint32_t index;
  };

  std::span<const game::EntityState> entities_;
  std::vector<Column> by_x_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace tickbox::server
