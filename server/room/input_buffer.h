#pragma once
// Inputs of one player that have arrived and have not been stepped, keyed by tick.

#include "core/ids.h"
#include "core/tick_ring.h"
#include "game/input.h"
#include "protocol/history_depths.h"

#include <cstdint>

namespace tickbox::server {

struct TakenInput {
  game::Input input;
  game::InputSource source = game::InputSource::Neutral;
};

/// A client repeats recent inputs in every packet, so most pushes are repeats: a repeat is not an
/// error.
class InputBuffer {
 public:
  /// The most missing inputs in a row that are replaced by the last one: 133 ms at 60 Hz. The
  /// neutral input replaces further ones.
  static constexpr int kRepeatsMax = 8;

  enum class Pushed : std::uint8_t { Stored, Ignored, TooLate, TooEarly };

  InputBuffer() = default;

  /// `opened`: the last tick already stepped.
  explicit InputBuffer(Tick opened) : taken_(opened), newest_given_(opened) {}

  /// Stores the input for `tick`. The first input for a tick counts; later ones are ignored.
  Pushed push(Tick tick, game::Input input);

  /// Returns the input for `tick`. If it has not arrived, returns the last input again, and after
  /// kRepeatsMax ticks the neutral input: the world does not wait.
  /// Requires: `tick` is the one after the last taken.
  TakenInput take(Tick tick);

  /// Returns the newest tick up to which every input has arrived or is no longer needed.
  [[nodiscard]] Tick complete_to() const;

 private:
  TickRing<game::Input, protocol::kInputsHeldMax> held_;  ///< entries up to taken_ are not used
  Tick taken_;                                            ///< the last tick taken
  Tick newest_given_;  ///< the newest tick whose input came from the client and was taken
  std::uint64_t arrived_ =
      ~std::uint64_t{0};  ///< bit i: the input for taken_ − i has arrived, in time or too late
  game::Input last_;
};

}  // namespace tickbox::server
