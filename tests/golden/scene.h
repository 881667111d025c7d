#pragma once
// A world that moves by itself, the same on every machine. The golden file holds its hashes.

#include "sim/world.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace tickbox::golden {

/// Ticks of every scene in the golden file: half a minute of a game at 60 Hz.
inline constexpr std::uint32_t kTicks = 2'000;

/// Ticks of every scene with --short: an emulator is dozens of times slower than a machine.
inline constexpr std::uint32_t kShortTicks = 150;
static_assert(kShortTicks <= kTicks);

/// What is compared of one tick. Only the report shows sensors and contacts without consequence.
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

  [[nodiscard]] virtual const sim::PhysicsWorld& world() const = 0;
};

struct NamedScene {
  std::string_view name;
  std::unique_ptr<Scene> (*make)();
};

/// All scenes, in the order of the golden file.
[[nodiscard]] std::span<const NamedScene> scenes();

}  // namespace tickbox::golden
