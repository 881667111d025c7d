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

/// A client repeats recent inputs in every packet, so most pushes are repeats: a repeat is no
/// error.
class InputBuffer {
 public:
  /// Missing inputs for which the last one stands in: 133 ms at 60 Hz, then a silent player stops.
  static constexpr int kRepeatsMax = 8;

  enum class Pushed : std::uint8_t { Stored, Repeated, TooLate, TooEarly };

  InputBuffer() = default;

  /// `opened`: the last tick already stepped.
  explicit InputBuffer(Tick opened) : taken_(opened), newest_given_(opened) {}

  /// The first input for a tick stands.
  Pushed push(Tick tick, game::Input input);

  /// The input for `tick`; the last one again when it has not come: the world waits for nobody.
  /// Requires: `tick` is the one after the last taken.
  TakenInput take(Tick tick);

  /// Gives up every tick up to `tick`, as for a player that was not in the world yet.
  void skip_to(Tick tick);

  /// Every input up to this tick has arrived or was given up.
  [[nodiscard]] Tick complete_to() const;

 private:
  TickRing<game::Input, protocol::kInputsHeldMax> held_;  ///< up to taken_: of no use any more
  Tick taken_;                                            ///< the last tick taken
  Tick newest_given_;  ///< the newest tick whose input came from the client and was taken
  std::uint64_t arrived_ =
      ~std::uint64_t{0};  ///< bit i: the input for taken_ − i came, be it too late
  game::Input last_;
};

}  // namespace tickbox::server
