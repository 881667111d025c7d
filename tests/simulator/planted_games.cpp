#include "tests/simulator/planted_games.h"

#include "engine/declared.h"
#include "tests/support/sights.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tickbox::simulator {
namespace {

using tests::Changes;
using tests::MidTick;

bool is_planted(const MidTick& tick) {
  return tick.tick().value % kPlantedTicks == 0;
}

/// Loses the last input that is not the one by default: it was received and read, but never enters
/// the view. (The prediction loses inputs too, and is merely wrong.)
void lose_input(const MidTick& tick) {
  if (!is_planted(tick)) return;
  engine::World& world = tick.world();
  const TypeInfo& type = world.game().input;
  std::vector<std::byte> by_default(type.bytes);
  type.write_default(by_default.data());
  for (std::size_t seat = world.seats().size(); seat-- > 0;) {
    const Player player{static_cast<std::uint16_t>(seat)};
    if (world.avatar_of(player) == world.size()) continue;
    const MutableBytes input = world.input(player);
    if (engine::are_equal(type, input, by_default)) continue;
    std::ranges::copy(by_default, input.begin());
    return;
  }
}

}  // namespace

PlantedGames::PlantedGames(const Plan& plan)
    : plan_(plan),
      game_(plan.sight != nullptr ? tests::with_sight(*plan.game, plan.sight) : *plan.game) {
  if (plan.plant == Plant::InputTwice) {
    room_.emplace(game_, Changes{.before = [this](const MidTick& tick) { step_twice(tick); }});
  } else if (plan.plant == Plant::Leak) {
    room_.emplace(game_, Changes{.before = [this](const MidTick& tick) { keep(tick); }});
  } else if (plan.plant == Plant::MissingCause) {
    client_.emplace(game_, Changes{.before = lose_input});
  }
}

const GameTable& PlantedGames::of_client(std::size_t client) const {
  return client_ && client == 0 ? static_cast<const GameTable&>(*client_) : game_;
}

/// Gives one player its input of the tick before.
void PlantedGames::step_twice(const MidTick& tick) {
  engine::World& world = tick.world();
  bool is_due = is_planted(tick);
  for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
    if (!world.has({seat})) {
      before_.erase(seat);
      continue;
    }
    const MutableBytes input = world.input({seat});
    Bytes now{input.begin(), input.end()};
    const auto before = before_.find(seat);
    const bool has_changed =
        before != before_.end() && !engine::are_equal(world.game().input, before->second, now);
    if (is_due && has_changed && world.avatar_of({seat}) != world.size()) {
      std::ranges::copy(before->second, input.begin());
      is_due = false;
    }
    before_[seat] = std::move(now);
  }
}

void PlantedGames::keep(const MidTick& tick) {
  const engine::World& world = tick.world();
  std::vector<Bytes>& inputs = kept_.emplace_back();
  for (std::uint16_t seat = 0; seat < world.seats().size(); ++seat) {
    const ConstBytes input = world.input({seat});
    if (world.has({seat})) inputs.emplace_back(input.begin(), input.end());
  }
}

}  // namespace tickbox::simulator
