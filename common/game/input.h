#pragma once
// The input of a player in one tick: an intent, never a position or a hit.

#include "core/ids.h"

#include <compare>
#include <cstdint>

namespace tickbox::game {

/// The number of directions of a stick. Its value is 0 at rest, else 1 (east) to 8, clockwise (y
/// points down) in eighths of a turn.
inline constexpr std::uint8_t kMoveDirections = 8;

/// The number of directions of a shot; 0 is +x, a quarter of them is +y (down).
inline constexpr int kAimBits = 10;
inline constexpr std::uint16_t kAimDirections = 1U << kAimBits;

inline constexpr std::uint8_t kButtonShoot = 1;
inline constexpr std::uint8_t kButtonRay = 2;
inline constexpr std::uint8_t kButtonsKnown = kButtonShoot | kButtonRay;
/// All bits that the buttons of any rules may use.
inline constexpr std::uint8_t kButtonsMax = 0x0f;

struct Input {
  std::uint8_t move = 0;     ///< 0 to kMoveDirections
  std::uint8_t buttons = 0;  ///< bits of kButtonsKnown
  std::uint16_t aim = 0;     ///< 0 to kAimDirections − 1
  /// The age of the others' state that the player saw, in ticks before the input's own; 255: 255 or
  /// more. Only the code that judges a ray reads it, never a step.
  std::uint8_t look_back = 0;

  friend constexpr auto operator<=>(const Input&, const Input&) = default;
};

struct PlayerInput {
  PlayerId player;
  Input input;

  friend constexpr auto operator<=>(const PlayerInput&, const PlayerInput&) = default;
};

/// Returns the nearest valid input: values out of range, as a cheater may send, become rest, no
/// button, direction 0.
[[nodiscard]] constexpr Input clamped(Input input) {
  return {.move = input.move <= kMoveDirections ? input.move : std::uint8_t{0},
          .buttons = static_cast<std::uint8_t>(input.buttons & kButtonsKnown),
          .aim = input.aim < kAimDirections ? input.aim : std::uint16_t{0},
          .look_back = input.look_back};
}

/// Returns the clamped input without the values that have no effect: an aim without a button, a
/// look back without a ray.
[[nodiscard]] constexpr Input significant(Input input) {
  input = clamped(input);
  if (input.buttons == 0) input.aim = 0;
  if ((input.buttons & kButtonRay) == 0) input.look_back = 0;
  return input;
}

/// The origin of a player's input in one tick.
enum class InputSource : std::uint8_t {
  Received,  ///< sent by the client, in time
  Repeated,  ///< the client's last input again
  Neutral,   ///< nothing pressed: the client is gone, or silent for too long
};

inline constexpr std::uint8_t kInputSources = 3;

}  // namespace tickbox::game
