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

/// The largest file that is read. A body takes about 100 bytes, so this is a million of them.
inline constexpr std::size_t kScenarioBytesMax = std::size_t{128} << 20;

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
/// Fails: with one line that names the file, if possible the line, the body and the key, and what
/// to try. Unknown keys, values outside their limits and repeated ids are errors, never ignored.
[[nodiscard]] std::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                                  std::string_view file_name);

/// Returns the world before its first step.
[[nodiscard]] sim::World make_world(const Scenario& scenario);

}  // namespace tickbox::scenario
