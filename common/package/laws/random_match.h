#pragma once
// A match of any game: random joins and leaves, strikes of the rays that are fired, and players
// that are random, or the game's bots. Random players give commands and inputs within their
// declared ranges.

#include "bots/bot.h"
#include "core/rng.h"
#include "engine/stepper.h"
#include "engine/tick_report.h"
#include "views/rows.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::laws {

enum class Players : std::uint8_t {
  Random,
  Bots,  ///< the game's styles in turn; random ones if it has none
};

struct MatchOptions {
  std::uint64_t seed = 0;
  std::uint32_t tick_rate = 60;
  std::uint32_t seats = 6;
  Players players = Players::Random;
  engine::CallCounts* call_counts = nullptr;  ///< if given, counts what the match calls
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

  [[nodiscard]] const engine::TickRecord& record() const { return record_; }

  /// Returns who fired rays in the last tick.
  [[nodiscard]] const std::vector<Player>& shooters() const { return shooters_; }

  /// Moves the world into fresh memory, and overwrites the old.
  void move_memory();

 private:
  void draw_input(Player player);
  void draw_command(Player player);
  void ask_bot(Player player, bool joins);
  void add_command(Player player, std::uint8_t type, std::vector<std::byte> bytes);
  [[nodiscard]] MutableBytes held(Player player);
  void strike(std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes);

  engine::World world_;
  engine::Stepper stepper_;
  engine::TickRecord record_;
  Rng dice_;
  MatchOptions options_;
  std::vector<std::optional<Tick>> left_at_;    ///< by seat: when its player has left last
  std::vector<std::optional<bots::Bot>> bots_;  ///< by seat; empty if players are random
  views::Rows seen_;
  views::Rows own_;
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
