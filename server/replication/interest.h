#pragma once
// Interest: which entities a client sees. These are the ones around its player's body.

#include "core/fixed.h"
#include "server/room/room.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::server {

/// The extent of a client's view from its body, in units: half a 16:10 screen and a margin.
struct Sight {
  std::int32_t half_width = 24;
  std::int32_t half_height = 16;
};

/// An entity in view stays in view until it is this much further away, in units. A player that
/// walks along the edge then does not enter and leave all the time.
inline constexpr std::int32_t kViewHysteresisUnits = 4;

class Interest {
 public:
  explicit Interest(Sight sight) : sight_(sight) {}

  /// Returns whether an entity in view stays in view when it is at `place` and the client at
  /// `centre`.
  [[nodiscard]] bool keeps_seeing(Vec2 centre, Vec2 place) const {
    const auto is_near = [](std::int32_t a, std::int32_t b, std::int32_t units) {
      return std::abs(std::int64_t{a} - b) <= std::int64_t{units} * kUnit;
    };
    return is_near(place.x, centre.x, sight_.half_width + kViewHysteresisUnits) &&
           is_near(place.y, centre.y, sight_.half_height + kViewHysteresisUnits);
  }

  /// Returns the greatest distance along x, in sub-units, at which an entity stays in view.
  [[nodiscard]] std::int64_t keeps_seeing_width() const {
    return std::int64_t{sight_.half_width + kViewHysteresisUnits} * kUnit;
  }

  /// Reads the room's entities once, for all views of this tick.
  void rebuild(const Room& room);

  struct Found {
    Vec2 place;
    SlotId slot = kNoSlot;
  };

  /// Fills `found` with the entities in sight from `centre`, in no order. In a crowd these are only
  /// the nearest, at least `enough`: all in a smaller rectangle.
  /// Cost: grows with the entities within the view's width.
  void query(Vec2 centre, std::size_t enough, std::vector<Found>& found) const;

 private:
  /// Returns the entities that are at most `width` sub-units away along x.
  [[nodiscard]] std::span<const Found> columns_near(Vec2 centre, std::int64_t width) const;

  Sight sight_;
  std::vector<Found> by_x_;
};

}  // namespace tickbox::server
