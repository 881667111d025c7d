#include "tests/simulator/commands.h"

#include "engine/declared.h"
#include "package/laws/random_match.h"

#include <algorithm>

namespace tickbox::simulator {
namespace {

/// Turns of a client between two commands, on average.
constexpr std::uint64_t kTurnsPerCommand = 80;
/// The number of commands that are remembered. The room gets each of them long before it is
/// forgotten.
constexpr std::size_t kSaidMax = 2'000;

}  // namespace

void Commands::turn(client::Client& client, const engine::World& world) {
  if (game_->commands.empty() || !rng_.chance(1, kTurnsPerCommand)) return;
  const auto type = static_cast<std::uint8_t>(rng_.below(game_->commands.size()));
  static_cast<void>(
      client.command(type, laws::drawn_value(game_->commands[type].type, world, rng_)));
}

void Commands::note(Player player, std::uint8_t type, ConstBytes value) {
  said_.push_back({.player = player, .type = type, .value = {value.begin(), value.end()}});
  if (said_.size() > kSaidMax) said_.pop_front();
}

void Commands::hear(const engine::TickRecord& record) {
  for (const engine::Outcome& outcome : record.outcomes) {
    if (outcome.kind != engine::OutcomeKind::Commanded) continue;
    ++heard_;
    const TypeInfo& type = game_->commands[outcome.type].type;
    const auto is_it = [&](const Said& said) {
      return said.player == outcome.player && said.type == outcome.type &&
             engine::are_equal(type, said.value, record.bytes_of(outcome));
    };
    const auto found = std::ranges::find_if(said_, is_it);
    if (found == said_.end()) {
      wrong_.push_back("a command of seat " + std::to_string(outcome.player.seat) +
                       " that it has not said, or said before another that came");
      continue;
    }
    // What the player said before it can come no more.
    const auto after = found + 1;
    const auto kept = std::remove_if(
        said_.begin(), after, [&](const Said& said) { return said.player == outcome.player; });
    said_.erase(kept, after);
  }
}

}  // namespace tickbox::simulator
