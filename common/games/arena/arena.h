#pragma once
// Arena: players run in eight directions, push crates and each other, and shoot. A player that is
// hit appears elsewhere.

#include "game/rules.h"

#include <cstdint>

namespace tickbox::game {

/// The largest tick rate of the arena. A bullet's life of one second must fit its 8-bit timer. A
/// bullet must leave its owner's box within its first tick.
inline constexpr std::uint32_t kArenaTickRateMax = 240;

class Arena final : public Rules {
 public:
  /// Requires: 1 ≤ ticks_per_second ≤ kArenaTickRateMax.
  explicit Arena(std::uint32_t ticks_per_second);

  [[nodiscard]] std::string_view name() const override { return "arena"; }

  [[nodiscard]] sim::WorldSettings settings() const override;
  [[nodiscard]] sim::Body body_for(const EntityState& entity) const override;

  [[nodiscard]] bool is_valid(const EntityState& entity, const Map& map, Tick tick) const override;
  [[nodiscard]] bool may_overlap(const sim::Body& a, const sim::Body& b) const override;

  [[nodiscard]] std::int32_t run_speed() const override { return run_speed_; }

  [[nodiscard]] std::optional<sim::Cast> ray_of(const World& world,
                                                const PlayerInput& given) const override;
  void open(World& world) const override;
  void leave(World& world, PlayerId player) const override;
  void join(World& world, std::span<const PlayerId> players) const override;
  void apply_inputs(World& world, std::span<const PlayerInput> inputs,
                    TickEvents& events) const override;
  void after_step(World& world, const sim::StepReport& report, Authority authority,
                  TickEvents& events) const override;
  void place(World& world, Teleport teleport) const override;

 private:
  void run(World& world, std::size_t index) const;
  bool shoot(World& world, std::size_t index, const Shot& shot) const;

  std::int32_t run_speed_;       ///< sub-units per tick
  std::int32_t diagonal_speed_;  ///< sub-units per tick and axis, of the same length as run_speed_
  std::int32_t acceleration_;    ///< sub-units per tick²
  std::int32_t friction_;        ///< sub-units per tick²
  std::int32_t bullet_speed_;    ///< sub-units per tick
  std::uint8_t reload_ticks_;
  std::uint8_t bullet_ticks_;
};

}  // namespace tickbox::game
