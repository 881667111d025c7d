#pragma once
// Lag compensation: decides which players are struck by rays, judged by what the shooters saw. A
// client sees the others some ticks late, and its input names the tick that it aimed at.
//
// A ray starts at the shooter's present body, which its client predicts. It is cast against the
// others as they were in the tick that the input names. A player that was teleported since, or no
// longer exists, is not struck.

#include "game/catalog.h"
#include "game/input.h"
#include "game/rules.h"
#include "protocol/history_depths.h"
#include "server/room/room.h"
#include "sim/cast.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// The greatest age of a state that a ray is cast against, in milliseconds. A shot at an older
/// state is judged by the state of this age.
inline constexpr std::uint32_t kLookBackMaxMs = 250;
static_assert(game::kTickRateMax * kLookBackMaxMs / 1'000 < protocol::kTicksRemembered,
              "a ray is cast against a state that the room remembers");

class LagCompensation {
 public:
  explicit LagCompensation(std::uint32_t tick_rate);

  /// Returns the strikes of the tick after the room's present one, in the order of `inputs` (at
  /// most one input per player).  Valid until the next call.   Cost: no allocation once warm; for
  /// each ray fired, one pass over all bodies of the past tick.
  [[nodiscard]] std::span<const game::Strike> judge(const Room& room,
                                                    std::span<const game::PlayerInput> inputs);

 private:
  [[nodiscard]] std::optional<BodyId> struck_by(const Room& room, const sim::Cast& ray,
                                                Tick render_tick);
  void gather_movers(const Room& room, const sim::Cast& ray, Tick render_tick);

  std::uint32_t look_back_max_;  ///< ticks
  sim::Caster caster_;
  std::vector<sim::Body> movers_;
  std::vector<game::Strike> strikes_;
};

}  // namespace tickbox::server
