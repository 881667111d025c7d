#pragma once
// Whom rays strike, by what their players saw: a client shows the others some ticks late, and aims
// at them where it shows them.
//
// A ray starts where its shooter's body is now, which its client predicts, and is cast against the
// others as they were in the tick that the input names. Whoever has been put elsewhere since, or is
// gone, is not struck.

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

/// How far back the past counts, in milliseconds; who saw an older one is judged by this.
inline constexpr std::uint32_t kLookBackMaxMs = 250;
static_assert(game::kTickRateMax * kLookBackMaxMs / 1'000 < protocol::kTicksRemembered,
              "a ray is cast against a state that the room remembers");

class LagCompensation {
 public:
  explicit LagCompensation(std::uint32_t tick_rate);

  /// The strikes of the tick after the room's present one, in the order of `inputs`: of players,
  /// each once.  Valid until the next call.   Cost: no allocation once warm; of rays that are
  /// fired, one look at every body of the past each.
  [[nodiscard]] std::span<const game::Strike> judge(const Room& room,
                                                    std::span<const game::PlayerInput> inputs);

 private:
  [[nodiscard]] std::optional<BodyId> struck_by(const Room& room, const sim::Cast& ray,
                                                Tick looked_at);
  void gather_movers(const Room& room, const sim::Cast& ray, Tick looked_at);

  std::uint32_t look_back_max_;  ///< ticks
  sim::Caster caster_;
  std::vector<sim::Body> movers_;
  std::vector<game::Strike> strikes_;
};

}  // namespace tickbox::server
