#pragma once
// A world that moves by itself, the same on every machine: what the golden file holds the hashes
// of.

#include "sim/world.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace tickbox::golden {

/// Ticks of every scene in the golden file: half a minute of a game at 60 Hz.
inline constexpr std::uint32_t kTicks = 2'000;

/// Ticks of every scene for who is in a hurry: emulators are dozens of times slower than machines.
inline constexpr std::uint32_t kShortTicks = 150;
static_assert(kShortTicks <= kTicks);

/// What is compared of one tick. Sensors and contacts without consequence are seen in the report
/// only.
struct TickHashes {
  std::uint64_t state = 0;   ///< state_hash() of the world after the step
  std::uint32_t report = 0;  ///< report_hash() of the step
  std::uint32_t motion = 0;  ///< motion_hash() of the world after the step

  friend bool operator==(TickHashes, TickHashes) = default;
};

class Scene {
 public:
  virtual ~Scene() = default;

  /// Moves on by one tick.
  virtual TickHashes step() = 0;

  [[nodiscard]] virtual const sim::World& world() const = 0;
};

struct NamedScene {
  std::string_view name;
  std::unique_ptr<Scene> (*make)();
};

/// All scenes, in the order of the golden file.
[[nodiscard]] std::span<const NamedScene> scenes();

}  // namespace tickbox::golden
