#pragma once
// A world without a network, as people write it: a JSON file of boxes in units, read into
// sub-units.

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

/// Steps per second that a scenario may ask for.
inline constexpr std::int64_t kTickRateMax = 1'000;

/// Ticks that a scenario may ask for; a day at 1,000 Hz is less.
inline constexpr std::int64_t kTicksMax = 100'000'000;

/// Bodies of one scenario that may have a path: a body names its own by 16 bits, and one number
/// means none.
inline constexpr std::size_t kPathsMax = sim::kNoPath;

/// The velocity of a mover without a path, replaced before the step that makes `tick`.
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
  std::vector<VelocityChange> changes{};  ///< by tick; of one tick, in the order of the file
};

/// Reads a scenario. Lengths, speeds and shares are rounded to the nearest value that a body can
/// have.
///
/// Fails: with one line that names the file, where possible the line, the body and the key, and
/// what to try. Unknown keys, values outside their limits and ids used twice are errors, never
/// ignored.
[[nodiscard]] std::expected<Scenario, std::string> parse_scenario(std::string_view text,
                                                                  std::string_view file_name);

/// The world before its first step.
[[nodiscard]] sim::World make_world(const Scenario& scenario);

}  // namespace tickbox::scenario
