#pragma once
// A match of any game with random players: joins, leaves, commands and inputs within their declared
// ranges, and strikes of the rays that they fire.

#include "core/rng.h"
#include "engine/stepper.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::laws {

struct MatchOptions {
  std::uint64_t seed = 0;
  std::uint32_t tick_rate = 60;
  std::uint32_t seats = 6;
};

/// Returns a value of a type, each field drawn from its range, players and entities from the
/// world's.
[[nodiscard]] std::vector<std::byte> drawn_value(const TypeInfo& type, const engine::World& world,
                                                 Rng& dice);

class RandomMatch {
 public:
  RandomMatch(const GameTable& game, engine::SharedMap map, const MatchOptions& options);
  RandomMatch(const RandomMatch&) = delete;
  RandomMatch& operator=(const RandomMatch&) = delete;

  /// Draws the leaves, joins, commands and inputs of the next tick.
  const engine::TickRequest& draw();

  /// Steps what draw() has returned last.
  const engine::TickReport& step();

  [[nodiscard]] engine::World& world() { return world_; }

  [[nodiscard]] const engine::World& world() const { return world_; }

  void set_query_log(const engine::QueryLog& log) { stepper_.set_query_log(log); }

  [[nodiscard]] const engine::TickRecord& record() const { return record_; }

  /// Returns who fired rays in the last tick.
  [[nodiscard]] const std::vector<Player>& shooters() const { return shooters_; }

  /// Moves the world into fresh memory, and overwrites the old.
  void move_memory();

 private:
  void draw_input(Player player);
  void draw_command(Player player);
  void strike(std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes);

  engine::World world_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  Rng dice_;
  std::vector<std::byte> held_;  ///< by seat: the input that its player gives
  std::vector<Player> shooters_;
  std::vector<Player> leaves_;
  std::vector<engine::Join> joins_;
  std::vector<engine::PlayerInput> inputs_;
  std::vector<std::vector<std::byte>> command_bytes_;
  std::vector<engine::Command> commands_;
  engine::JudgeRays judge_;
  engine::TickRequest request_;
};

}  // namespace tickbox::laws
