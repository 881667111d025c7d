#include "tests/property/random_match.h"

#include "game/entity_state.h"

#include <array>
#include <utility>

namespace tickbox::test {
namespace {

constexpr std::uint32_t kStaticIds = 3U << 30;
constexpr std::int32_t kThin = kUnit / 10;
/// Spawn points per seat, so that each point gets at most one body: a player, its bullets in
/// flight, and one spare.
constexpr std::size_t kPlacesPerSeat = 5;

void add_static(std::vector<sim::Body>& statics, Vec2 min, Vec2 size) {
  statics.push_back({.id = {static_cast<std::uint32_t>(kStaticIds + statics.size())},
                     .kind = sim::Kind::Static,
                     .min = min,
                     .size = size});
}

void add_border(std::vector<sim::Body>& statics, std::int32_t width, std::int32_t height) {
  add_static(statics, {-kUnit, -kUnit}, {width + 2 * kUnit, kUnit});
  add_static(statics, {-kUnit, height}, {width + 2 * kUnit, kUnit});
  add_static(statics, {-kUnit, 0}, {kUnit, height});
  add_static(statics, {width, 0}, {kUnit, height});
}

}  // namespace

std::uint32_t random_tick_rate(Rng& rng) {
  constexpr auto kRates = std::to_array<std::uint32_t>({15, 30, 60, 60});
  return kRates[rng.below(kRates.size())];
}

game::SharedMap random_ground(Rng& rng) {
  auto map = std::make_shared<game::Map>();
  map->seats = static_cast<std::uint32_t>(4 + rng.below(13));
  const auto spacing = static_cast<std::int32_t>(2 + rng.below(2)) * kUnit;
  const std::int32_t gap = spacing - kUnit;
  std::vector<sim::Body> statics;
  const std::size_t columns = 5 + rng.below(8);
  std::int32_t y = 0;
  while (map->spawn_points.size() < kPlacesPerSeat * map->seats + map->crates.size()) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::int32_t x = static_cast<std::int32_t>(column) * spacing;
      map->spawn_points.push_back({x, y});
      const Vec2 between{x + kUnit, y + kUnit};
      switch (rng.below(16)) {
        case 0:
        case 1:
          map->crates.push_back(between);
          break;
        case 2:
          add_static(statics, between, {gap, gap});
          break;
        case 3:
          add_static(statics, between, {kThin, gap});
          break;
        default:
          break;
      }
    }
    y += spacing;
  }
  add_border(statics, static_cast<std::int32_t>(columns) * spacing, y);
  map->statics = std::make_shared<const sim::Statics>(std::move(statics));
  return map;
}

RandomPlayers::RandomPlayers(std::uint64_t seed, const game::Map& map, std::uint16_t residents)
    : rng_(seed), residents_(residents), players_(map.seats) {
  for (Player& player : players_) {
    player.is_calm = rng_.chance(1, 2);
  }
}

game::TickCommands RandomPlayers::next(const game::World& world) {
  come_and_go();
  draw_inputs();
  draw_strikes(world);
  return {.leaves = leaves_, .joins = joins_, .inputs = inputs_, .strikes = strikes_};
}

void RandomPlayers::come_and_go() {
  leaves_.clear();
  joins_.clear();
  const auto seats = static_cast<std::uint16_t>(players_.size());
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    Player& player = players_[seat];
    const bool is_resident = seat < residents_;
    if (player.plays && !is_resident && rng_.chance(1, 200)) {
      leaves_.push_back({seat});
      player.plays = rng_.chance(1, 4);  // Another player takes the seat at once.
      if (player.plays) joins_.push_back({seat});
    } else if (!player.plays && (is_resident || rng_.chance(1, 20))) {
      joins_.push_back({seat});
      player.plays = true;
    }
  }
}

/// Some inputs are missing: a player without an input runs on.
void RandomPlayers::draw_inputs() {
  inputs_.clear();
  const auto seats = static_cast<std::uint16_t>(players_.size());
  for (std::uint16_t seat = 0; seat < seats; ++seat) {
    Player& player = players_[seat];
    if (!player.plays || rng_.chance(1, 16)) continue;
    if (rng_.chance(1, 12)) {
      player.input.move = static_cast<std::uint8_t>(rng_.below(game::kMoveDirections + 1));
    }
    const bool fires = !player.is_calm && rng_.chance(1, 8);
    const std::uint8_t button = rng_.chance(3, 4) ? game::kButtonShoot : game::kButtonRay;
    player.input.buttons = fires ? button : std::uint8_t{0};
    player.input.aim = static_cast<std::uint16_t>(rng_.below(game::kAimDirections));
    inputs_.push_back({.player = {seat}, .input = player.input});
  }
}

void RandomPlayers::draw_strikes(const game::World& world) {
  strikes_.clear();
  for (const game::PlayerInput& given : inputs_) {
    const PlayerId victim{static_cast<std::uint16_t>(rng_.below(players_.size()))};
    if (given.input.buttons != game::kButtonRay || victim == given.player) continue;
    strikes_.push_back({.shooter = given.player, .victim = world.body_of(victim)});
  }
}

}  // namespace tickbox::test
