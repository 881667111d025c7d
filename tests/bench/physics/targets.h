#pragma once
// What share of the peers' time Tickbox may take, and whether it did.

#include "tests/bench/physics/measure.h"

#include <optional>
#include <span>
#include <vector>

namespace tickbox::bench {

/// The part of a peer's time that Tickbox may take in this world; nothing where none is set.
[[nodiscard]] std::optional<double> target_of(SceneKind scene, int n, EngineKind peer);

/// Tickbox against one peer in one world.
struct Ratio {
  SceneKind scene = SceneKind::Arena;
  int n = 0;
  EngineKind peer = EngineKind::Box2d;
  double ratio = 0;  ///< the least time of ours by the least of theirs
  std::optional<double> target{};

  [[nodiscard]] bool held() const { return !target || ratio <= *target; }
};

/// All that `lines` allow, in their order.
[[nodiscard]] std::vector<Ratio> ratios_of(std::span<const Line> lines);

/// Whether every line of Tickbox is what it promises: no overlap at any look, nobody tunnelled, the
/// same end each time.
[[nodiscard]] bool is_sound(std::span<const Line> lines);

}  // namespace tickbox::bench
