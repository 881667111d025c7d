#pragma once
// Lag compensation: decides which entities are struck by rays, judged by what the shooters saw. A
// client sees the others some ticks late, and its input names the tick that it saw.
//
// A ray starts at the shooter's present body, which its client predicts. It is cast against the
// moving bodies as they were in the tick that the input names, and against fixed bodies and walls
// as they are. A body that the server has decided for since (by a teleport, for example), or that
// no longer exists, is not struck.

#include "engine/tick_record.h"
#include "protocol/history_depths.h"
#include "server/match/match.h"
#include "sim/box.h"
#include "sim/cast.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The greatest age of a state that a ray is cast against, in milliseconds. A ray at an older
/// state is judged by the state of this age.
inline constexpr std::uint32_t kLookBackMaxMs = 250;

class RayJudge {
 public:
  /// Requires: kLookBackMaxMs have fewer than protocol::kTicksRemembered ticks at this rate.
  explicit RayJudge(std::uint32_t tick_rate);

  /// Appends what rays strike in the tick after the match's present one: at most one entity for
  /// each ray, sorted by shooter. `look_back`: by seat, the age in ticks of the state that the
  /// player saw; 255: 255 or more. Cost: no allocation once warm; for each past tick that rays look
  /// at, one pass over its bodies and an index of those on the way.
  void judge(const Match& match, std::span<const std::uint8_t> look_back,
             std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes);

 private:
  /// A ray that is fired in the next tick.
  struct Cast {
    Tick seen_tick;  ///< the tick that its player looked at
    Player shooter;
    std::uint32_t number = 0;  ///< among the rays of the tick
    sim::Cast cast;
    BodyId victim = sim::kNoBody;  ///< the entity that it strikes
  };

  void cast_at(const Match& match, std::span<Cast> casts);
  void gather_bodies(const Match& match, const sim::Box& area, Tick seen_tick);

  std::uint32_t look_back_max_;  ///< ticks
  sim::Caster caster_;
  std::vector<Cast> casts_;
  std::vector<sim::Body> bodies_;
};

}  // namespace tickbox::server
