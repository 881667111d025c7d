#pragma once
// The inputs of one message as bits: those of consecutive ticks, each as a change of the one
// before. FORMAT.md is the standard.

#include "core/bytes.h"
#include "engine/bits.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::views {

/// An input, and what its player saw when it was decided.
struct GivenInput {
  ConstBytes input;  ///< of the game's Input, each value within its range
  /// The age of the others' state that the player saw, in ticks before the input's own; 255: 255 or
  /// more. Only the code that judges a ray reads it.
  std::uint8_t look_back = 0;
};

void write_inputs(const GameTable& game, std::span<const GivenInput> inputs,
                  engine::BitWriter& out);

/// The inputs of a message that was received; keeps its memory.
class ReceivedInputs {
 public:
  /// Reads at most `most` inputs; no bytes are no inputs. Fails: false, for bits that no client
  /// sends.
  [[nodiscard]] bool read(const GameTable& game, ConstBytes bits, std::size_t most);

  [[nodiscard]] std::size_t size() const { return look_backs_.size(); }

  /// Valid until the next read().
  [[nodiscard]] GivenInput operator[](std::size_t i) const {
    return {.input = ConstBytes{values_}.subspan(i * stride_, bytes_), .look_back = look_backs_[i]};
  }

 private:
  std::size_t bytes_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::byte> values_;
  std::vector<std::uint8_t> look_backs_;
};

}  // namespace tickbox::views
