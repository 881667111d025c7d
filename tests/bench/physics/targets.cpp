#include "tests/bench/physics/targets.h"

#include <algorithm>
#include <array>

namespace tickbox::bench {
namespace {

struct Target {
  SceneKind scene;
  EngineKind peer;
  double ratio;
};

/// Against peers in the worlds as they are written (PeerBodies::Tiles) that may not sleep.
constexpr std::array<Target, 8> kTargets{{
    {SceneKind::Arena, EngineKind::Box2d, 0.10},
    {SceneKind::Arena, EngineKind::Chipmunk, 0.27},
    {SceneKind::Platformer, EngineKind::Box2d, 0.08},
    {SceneKind::Platformer, EngineKind::Chipmunk, 0.13},
    {SceneKind::Bullets, EngineKind::Box2d, 0.15},
    {SceneKind::Bullets, EngineKind::Chipmunk, 0.65},
    {SceneKind::Pile, EngineKind::Box2d, 0.5},
    {SceneKind::Rest, EngineKind::Box2d, 0.05},
}};

/// The sizes for which the targets were set.
bool is_set_for(SceneKind scene, int n) {
  if (scene == SceneKind::Pile) return n == 1'000;
  if (scene == SceneKind::Rest) return n == 10'000;
  return n == 1'000 || n == 10'000;
}

}  // namespace

std::optional<double> target_of(SceneKind scene, int n, EngineKind peer) {
  if (!is_set_for(scene, n)) return std::nullopt;
  const auto found = std::ranges::find_if(
      kTargets, [&](const Target& target) { return target.scene == scene && target.peer == peer; });
  return found == kTargets.end() ? std::nullopt : std::optional{found->ratio};
}

std::vector<Ratio> ratios_of(std::span<const Line> lines) {
  std::vector<Ratio> ratios;
  for (const Line& peer : lines) {
    if (peer.engine == EngineKind::Tickbox) continue;
    const auto ours = std::ranges::find_if(lines, [&](const Line& line) {
      return line.engine == EngineKind::Tickbox && line.scene == peer.scene && line.n == peer.n;
    });
    if (ours == lines.end()) continue;
    ratios.push_back({.scene = peer.scene,
                      .n = peer.n,
                      .peer = peer.engine,
                      .ratio = ours->best() / peer.best(),
                      .target = target_of(peer.scene, peer.n, peer.engine)});
  }
  return ratios;
}

bool is_sound(std::span<const Line> lines) {
  return std::ranges::all_of(lines, [](const Line& line) {
    if (line.engine != EngineKind::Tickbox) return true;
    return line.quality.overlaps_most == 0 && line.quality.tunnelled == 0 && line.repeatable;
  });
}

}  // namespace tickbox::bench
