#pragma once
// A player that strolls over the arena, whatever it sees.

#include "client/player.h"
#include "core/bytes.h"
#include "core/rng.h"
#include "tests/bench/arena/pad.h"

#include <cstdint>
#include <vector>

namespace tickbox::bench {

enum class Strolls : std::uint8_t {
  Calmly,  ///< another direction, or none, every 0.5 to 1.5 s; shoots once a second on average
  Wildly,  ///< draws its whole input in every tick
};

class Stroller {
 public:
  Stroller(Strolls how, std::uint64_t seed, std::uint32_t tick_rate)
      : how_(how), rng_(seed), tick_rate_(tick_rate) {}

  /// Returns the input of the next tick, valid until the next call.
  [[nodiscard]] ConstBytes decide();

 private:
  [[nodiscard]] Pad stroll();
  [[nodiscard]] Pad draw();

  Strolls how_;
  Rng rng_;
  std::uint32_t tick_rate_;
  std::int64_t move_ = 0;
  std::uint64_t ticks_left_ = 0;
  std::vector<std::byte> input_ = pad_by_default();
};

/// Returns the factory of a client's stroller.
[[nodiscard]] client::MakePlayer stroller_player(Strolls how, std::uint64_t seed);

}  // namespace tickbox::bench
