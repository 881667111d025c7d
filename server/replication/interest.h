#pragma once
// Who sees what: the entities around a player's body, and nothing outside.

#include "core/fixed.h"
#include "server/room/room.h"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::server {

/// How far a client sees from its body, in units: half a 16:10 screen and a margin.
struct Sight {
  std::int32_t half_width = 24;
  std::int32_t half_height = 16;
};

/// Who is seen stays seen until it is this much further away, in units: so nobody who walks along
/// the edge comes and goes all the time.
inline constexpr std::int32_t kViewHysteresisUnits = 4;

/// The larger of the distances along x and y, in sub-units.
[[nodiscard]] std::int64_t distance(Vec2 a, Vec2 b);

class Interest {
 public:
  explicit Interest(Sight sight) : sight_(sight) {}

  /// Whether somebody at `centre` who has seen what is at `place` goes on seeing it.
  [[nodiscard]] bool keeps_seeing(Vec2 centre, Vec2 place) const {
    const auto within = [](std::int32_t a, std::int32_t b, std::int32_t units) {
      return std::abs(std::int64_t{a} - b) <= std::int64_t{units} * kUnit;
    };
    return within(place.x, centre.x, sight_.half_width + kViewHysteresisUnits) &&
           within(place.y, centre.y, sight_.half_height + kViewHysteresisUnits);
  }

  /// Looks at the room's entities once, for all of this tick's views.
  void look(const Room& room);

  /// Indices into room.entities() of what is to be seen from `centre`, in no order. Valid until the
  /// next call.   Cost: of those within the view's width; no allocation once warm.
  [[nodiscard]] std::span<const std::uint32_t> seen_from(Vec2 centre);

 private:
  struct Column {
    Vec2 place;
    std::uint32_t index = 0;
  };

  Sight sight_;
  std::vector<Column> by_x_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace tickbox::server
