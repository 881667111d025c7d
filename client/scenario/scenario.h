#pragma once
// Reads a scenario: a world without a network, written as a JSON file of boxes in units.

#include "core/ids.h"
#include "sim/world.h"

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::scenario {

/// The largest number of bodies of a scenario.
inline constexpr std::size_t kBodiesMax = 200'000;

/// The largest file that is read: kBodiesMax bodies of 300 bytes. With every key a body takes about
/// 250.
inline constexpr std::size_t kScenarioBytesMax = std::size_t{64} << 20;
static_assert(kScenarioBytesMax >= 300 * kBodiesMax);

/// The largest number of bodies that a dynamic body may overlap at tick 0. Each tick tries again to
/// separate such bodies.
inline constexpr std::size_t kOverlapsPerBodyMax = 8;

/// The largest number of pairs of bodies whose paths touch in the first tick. A step keeps at
/// least 8 bytes for each.
inline constexpr std::size_t kPairsMax = 1'000'000;

/// The highest tick rate of a scenario, in steps per second.
inline constexpr std::int64_t kTickRateMax = 1'000;

/// The largest number of ticks of a scenario; a day at 1,000 Hz is less.
inline constexpr std::int64_t kTicksMax = 100'000'000;

/// The largest number of bodies with a path in one scenario. A body names its path by 16 bits, and
/// one of the numbers means none.
inline constexpr std::size_t kPathsMax = sim::kNoPath;

/// A new velocity of a mover without a path, set before the step to `tick`.
struct VelocityChange {
  Tick tick{};
  BodyId id{};
  Vec2 velocity{};
  bool keeps_x = false;  ///< the body keeps its velocity on this axis
  bool keeps_y = false;

  void apply(sim::Body& body) const {
    if (!keeps_x) body.velocity.x = velocity.x;
    if (!keeps_y) body.velocity.y = velocity.y;
  }
};

struct Scenario {
  std::uint32_t tick_rate = 60;
  std::uint32_t ticks = 0;
  sim::WorldSettings settings{};
  std::vector<sim::Body> statics{};       ///< by id
  std::vector<sim::Body> movers{};        ///< by id
  std::vector<sim::Path> paths{};         ///< by Body::path
  std::vector<VelocityChange> changes{};  ///< by tick, and within a tick in the order of the file
};

/// Reads a scenario. Lengths, speeds and fractions are rounded to the nearest value that a body can
/// have.
///
/// Fails: with one line that names the file, the path of the key, as `bodies[3].velocity`, and what
/// to try. Unknown keys, values outside their limits, repeated ids and too many bodies in one place
/// are errors, never ignored.
[[nodiscard]] std::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                                  std::string_view file_name);

/// Returns the world before its first step.
[[nodiscard]] sim::PhysicsWorld make_world(const Scenario& scenario);

}  // namespace tickbox::scenario
