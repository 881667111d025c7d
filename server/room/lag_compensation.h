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
#include "sim/box.h"
#include "sim/cast.h"

#include <cstdint>
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

  /// Returns the strikes of the tick after the room's present one, sorted by shooter. `inputs`: at
  /// most one per player. Valid until the next call. Cost: no allocation once warm; for
  /// each past tick that rays look at, one pass over its bodies and an index of those on the way.
  [[nodiscard]] std::span<const game::Strike> judge(const Room& room,
                                                    std::span<const game::PlayerInput> inputs);

 private:
  /// A ray that is fired in the next tick.
  struct Ray {
    Tick render_tick;  ///< the tick that its player looked at
    PlayerId shooter;
    sim::Cast cast;
    BodyId victim = sim::kNoBody;  ///< the player that it strikes
  };

  /// The last teleport of a player.
  struct Teleported {
    BodyId body;
    Tick tick;  ///< 0 before the first
  };

  void gather_rays(const Room& room, std::span<const game::PlayerInput> inputs);
  void note_teleports(const Room& room);
  void cast_rays(const Room& room, std::span<Ray> rays);
  void gather_movers(const Room& room, const sim::Box& area, Tick render_tick);

  std::uint32_t look_back_max_;  ///< ticks
  sim::Caster caster_;
  std::vector<Ray> rays_;
  std::vector<sim::Body> movers_;
  std::vector<Teleported> teleported_;  ///< by seat, lately
  std::vector<game::Strike> strikes_;
};

}  // namespace tickbox::server
