#pragma once
// Who sees what: the entities around a player's body, nothing outside, and never more than a
// snapshot holds.

#include "server/room.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// Half the width and height of what a client sees, in units: a 16:10 screen and a margin.
inline constexpr std::int32_t kViewHalfWidthUnits = 24;
inline constexpr std::int32_t kViewHalfHeightUnits = 16;

class Interest {
 public:
  /// Looks at the room's entities once, for all of this tick's views.
  void look(const Room& room);

  /// Indices into room.entities() of what the entity `own` sees, itself included, ascending; the
  /// nearest where there are more than net::kViewEntitiesMax. Valid until the next call.   Cost: no
  /// allocation once warm.
  [[nodiscard]] std::span<const std::uint32_t> view_of(std::uint32_t own);

 private:
  struct Column {
    std::int32_t x;
    std::uint32_t index;
  };

  std::span<const game::EntityState> entities_;
  std::vector<Column> by_x_;
  std::vector<std::uint32_t> view_;
};

}  // namespace tickbox::server
