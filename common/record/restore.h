#pragma once
// From a keyframe back to a world that steps on.

#include "game/map.h"
#include "game/rules.h"
#include "game/world.h"
#include "record/recorded.h"

#include <cstdint>
#include <expected>
#include <string_view>

namespace tickbox::record {

/// Why a keyframe is no world of this map and these rules.
enum class RestoreError : std::uint8_t {
  WrongSeats,       ///< other seats than the map has
  UnknownSeat,      ///< a body of a seat that the map has not
  SeatWithoutBody,  ///< a taken seat and its player's body do not go together
};

[[nodiscard]] std::string_view describe(RestoreError error);

/// The world that a keyframe describes.
[[nodiscard]] std::expected<game::World, RestoreError> restore(const Keyframe& keyframe,
                                                               const game::SharedMap& map,
                                                               const game::Rules& rules);

}  // namespace tickbox::record
