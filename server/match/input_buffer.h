#pragma once
// Inputs of one player of any game that have arrived and have not been stepped, keyed by tick.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/tick_record.h"
#include "protocol/history_depths.h"
#include "tickbox/game_table.h"
#include "views/inputs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// An input that is stepped. Valid until the next call of push() or consume().
struct TakenInput {
  views::GivenInput given;
  engine::InputSource source = engine::InputSource::Neutral;
};

/// A client repeats recent inputs in every packet, so most pushes are repeats.
class InputBuffer {
 public:
  /// The most missing inputs in a row that are replaced by the last one: 133 ms at 60 Hz. The
  /// neutral input replaces further ones.
  static constexpr int kRepeatsMax = 8;

  enum class Pushed : std::uint8_t {
    Stored,
    Replaced,  ///< stored in place of another input for the tick
    Ignored,   ///< a repeat, or of an overtaken packet
    TooLate,
    TooEarly,
  };

  /// `opened`: the last tick already stepped. `game` must live longer.
  InputBuffer(const GameTable& game, Tick opened);

  enum class Packet : std::uint8_t { Newest, Overtaken };

  /// Stores the input for `tick`. An input of the newest packet replaces that of an earlier one: a
  /// client whose server was stopped decides again for ticks that are still to come.
  /// Requires: an input of the game, each value within its range.
  Pushed push(Tick tick, const views::GivenInput& given, Packet packet = Packet::Newest);

  /// Returns the input for `tick`. If it has not arrived, returns the last input again, and after
  /// kRepeatsMax ticks the neutral input: the world does not wait. A press is repeated with it, so
  /// one press can be down in as many further ticks.
  /// Requires: `tick` is the one after the last taken.
  TakenInput consume(Tick tick);

  /// Returns the newest tick up to which every input has arrived or is no longer needed.
  [[nodiscard]] Tick complete_to() const;

 private:
  [[nodiscard]] MutableBytes value(std::size_t place) {
    return MutableBytes{values_}.subspan(place * bytes_, bytes_);
  }

  static_assert(protocol::kInputsHeldMax <= 64, "a bit for each input that is held");
  static constexpr std::size_t kLast = protocol::kInputsHeldMax;  ///< place of the last taken input
  static constexpr std::size_t kNeutral = kLast + 1;

  [[nodiscard]] bool holds(Tick tick) const { return (held_ >> (tick - taken_ - 1) & 1U) != 0; }

  Tick taken_;              ///< the last tick taken
  Tick newest_given_;       ///< the newest tick whose input came from the client and was taken
  std::uint64_t held_ = 0;  ///< bit i: the input for taken_ + 1 + i is held
  std::uint64_t arrived_ =
      ~std::uint64_t{0};  ///< bit i: the input for taken_ − i has arrived, in time or too late
  std::size_t bytes_;
  std::vector<std::byte> values_;  ///< by tick modulo kInputsHeldMax, then the last, the neutral
  std::array<std::uint8_t, kNeutral + 1> look_backs_{};  ///< of the values, in the same order
};

}  // namespace tickbox::server
