#pragma once
// What a player wants in one tick: an intent, never a position or a hit.

#include "core/ids.h"

#include <compare>
#include <cstdint>

namespace tickbox::game {

/// Directions a stick can have: 0 is rest, then east and on clockwise (y points down) in eighths of
/// a turn.
inline constexpr std::uint8_t kMoveDirections = 8;

/// Directions a shot can have; 0 is +x, a quarter of them is +y (down).
inline constexpr int kAimBits = 10;
inline constexpr std::uint16_t kAimDirections = 1U << kAimBits;

inline constexpr std::uint8_t kButtonShoot = 1;
inline constexpr std::uint8_t kButtonRay = 2;
inline constexpr std::uint8_t kButtonsKnown = kButtonShoot | kButtonRay;
/// No rules have more buttons.
inline constexpr std::uint8_t kButtonsMax = 0x0f;

struct Input {
  std::uint8_t move = 0;     ///< 0 to kMoveDirections
  std::uint8_t buttons = 0;  ///< bits of kButtonsKnown
  std::uint16_t aim = 0;     ///< 0 to kAimDirections − 1
  /// How far back in time its player saw the others, in ticks before the input's own; 255: at
  /// least. Only who judges a ray reads it, never a step.
  std::uint8_t look_back = 0;

  friend constexpr auto operator<=>(const Input&, const Input&) = default;
};

struct PlayerInput {
  PlayerId player;
  Input input;

  friend constexpr auto operator<=>(const PlayerInput&, const PlayerInput&) = default;
};

/// The nearest input that means something: what a cheat sends outside the ranges becomes rest, no
/// button, direction 0.
[[nodiscard]] constexpr Input clamped(Input input) {
  return {.move = input.move <= kMoveDirections ? input.move : std::uint8_t{0},
          .buttons = static_cast<std::uint8_t>(input.buttons & kButtonsKnown),
          .aim = input.aim < kAimDirections ? input.aim : std::uint16_t{0},
          .look_back = input.look_back};
}

/// The same input without what has no effect: an aim without a button, a look back without a ray.
[[nodiscard]] constexpr Input significant(Input input) {
  input = clamped(input);
  if (input.buttons == 0) input.aim = 0;
  if ((input.buttons & kButtonRay) == 0) input.look_back = 0;
  return input;
}

/// Where the input of a player in one tick comes from.
enum class InputSource : std::uint8_t {
  Received,  ///< the client sent it, in time
  Repeated,  ///< the client's last one again
  Neutral,   ///< nothing pressed: the client has been silent for long
};

inline constexpr std::uint8_t kInputSources = 3;

}  // namespace tickbox::game
