// The arena's rules. Every quantity is a whole number of sub-units and ticks, fixed by the tick
// rate at construction.
//
// One player may influence another by contact only, so no rule searches the room. The one exception
// is the choice of a spawn point: only the server makes it (Authority::Server) and sends it as an
// outcome.

#include "games/arena/arena.h"

#include "core/assert.h"
#include "core/directions.h"
#include "games/arena/arena_map.h"
#include "games/arena/free_places.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

namespace tickbox::game {
namespace {

constexpr Vec2 kBulletSize{kUnit / 10, kUnit / 10};

constexpr std::uint16_t kSolidLayer = 1;
constexpr std::uint16_t kBulletLayer = 2;

constexpr std::int64_t kRunUnitsPerSecond = 8;
constexpr std::int64_t kBulletUnitsPerSecond = 200;
constexpr std::int64_t kAccelerationUnits = 60;  // units/s²: full speed after 8 ticks at 60 Hz
constexpr std::int64_t kFrictionUnits = 40;

/// 1/√2 in 1/65,536.
constexpr std::int64_t kDiagonal = 46'341;

/// The length of a ray: as far as a player sees along the longer side of the screen.
constexpr std::int32_t kRayReach = 24 * kUnit;

/// The spawn points near the middle from which a respawn draws: enough for everyone present, and
/// some more.
constexpr std::size_t kPlacesPerPlayer = 6;
constexpr std::size_t kPlacesMin = 24;

constexpr std::array<Vec2, kMoveDirections + 1> kMoves = {
    {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};

std::int32_t per_tick(std::int64_t units_per_second, std::int64_t rate) {
  return static_cast<std::int32_t>(units_per_second * kUnit / rate);
}

/// Removes each bullet at its first contact, and adds hits, at most one per player and tick.
/// Contacts are in the order of time.
void spend_bullets(World& world, const sim::StepReport& report, TickEvents& events) {
  for (const sim::Contact& contact : report.contacts) {
    const bool a_is_bullet = has_kind(contact.a, EntityKind::Bullet);
    const BodyId bullet = a_is_bullet ? contact.a : contact.b;
    const BodyId other = a_is_bullet ? contact.b : contact.a;
    if (!has_kind(bullet, EntityKind::Bullet) || !world.remove(bullet) ||
        !has_kind(other, EntityKind::Player)) {
      continue;
    }
    const Hit hit{.shooter = player_of(bullet), .victim = player_of(other)};
    if (std::ranges::find(events.hits, hit.victim, &Hit::victim) == events.hits.end()) {
      events.hits.push_back(hit);
    }
  }
}

std::int32_t approach(std::int32_t value, std::int32_t target, std::int32_t by) {
  return value < target ? std::min(value + by, target) : std::max(value - by, target);
}

/// Returns the weapon that an input would fire; the gun if both buttons are pressed.
std::optional<Weapon> weapon_of(const Input& input) {
  if ((input.buttons & kButtonShoot) != 0) return Weapon::Gun;
  if ((input.buttons & kButtonRay) != 0) return Weapon::Ray;
  return std::nullopt;
}

/// Returns the minimum corner of a box of this size in the middle of a player.
Vec2 middle_of(Vec2 player, Vec2 size) {
  return {player.x + (kPlayerSize.x - size.x) / 2, player.y + (kPlayerSize.y - size.y) / 2};
}

/// Returns the number of spawn points near the middle from which a player's place is drawn.
std::size_t places_to_draw_from(const World& world) {
  const auto players =
      static_cast<std::size_t>(std::ranges::count_if(world.seats(), &SeatState::taken));
  return std::min(world.map()->spawn_points.size(),
                  std::max(kPlacesMin, kPlacesPerPlayer * players));
}

/// Draws a spawn point from the world's own sequence, and returns the number of the first free one
/// from there on. There always is one: the map has more than can be occupied.
std::uint16_t draw_place(World& world, std::size_t near, FreePlaces& places) {
  const std::size_t count = world.map()->spawn_points.size();
  const std::size_t start = world.rng.below(near);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place = (start + i) % count;
    if (places.is_free(place)) return static_cast<std::uint16_t>(place);
  }
  assert_failed("there is a free place to appear at", __FILE__, __LINE__);
}

/// Adds a teleport to a free place for each player that was hit.
/// Cost: about linear in bodies and hits.
void draw_teleports(World& world, const Rules& rules, TickEvents& events) {
  if (events.hits.empty()) return;
  FreePlaces places{world};
  const std::size_t near = places_to_draw_from(world);
  for (const Hit& hit : events.hits) {
    const std::uint16_t place = draw_place(world, near, places);
    const sim::Body* body = world.physics().find(world.body_of(hit.victim));
    if (body != nullptr) places.on_left(body->min);
    events.teleports.push_back({.player = hit.victim, .place = place});
    rules.place(world, events.teleports.back());
    if (body != nullptr) places.on_taken(place);
  }
}

}  // namespace

Arena::Arena(std::uint32_t ticks_per_second)
    : run_speed_(per_tick(kRunUnitsPerSecond, ticks_per_second)),
      diagonal_speed_(static_cast<std::int32_t>(run_speed_ * kDiagonal / kUnit)),
      acceleration_(static_cast<std::int32_t>(kAccelerationUnits * kUnit / ticks_per_second /
                                              ticks_per_second)),
      friction_(
          static_cast<std::int32_t>(kFrictionUnits * kUnit / ticks_per_second / ticks_per_second)),
      bullet_speed_(per_tick(kBulletUnitsPerSecond, ticks_per_second)),
      reload_ticks_(static_cast<std::uint8_t>((ticks_per_second + 1) / 2)),
      bullet_ticks_(static_cast<std::uint8_t>(ticks_per_second)) {
  TICKBOX_ASSERT(ticks_per_second >= 1 && ticks_per_second <= kArenaTickRateMax);
}

sim::WorldSettings Arena::settings() const {
  return {.gravity = {0, 0}, .border = sim::Border::Solid};
}

sim::Body Arena::body_for(const EntityState& entity) const {
  sim::Body body{.id = entity.id, .min = entity.min, .velocity = entity.velocity};
  switch (entity.traits.kind) {
    case EntityKind::Player:
      body.size = kPlayerSize;
      body.mass = 4;
      body.layers = kSolidLayer;
      break;
    case EntityKind::Crate:
      body.size = kCrateSize;
      body.mass = 2;
      body.layers = kSolidLayer;
      break;
    case EntityKind::Bullet:
      body.size = kBulletSize;
      body.response = sim::Response::Stop;
      body.layers = kBulletLayer;
      body.collides_with = kSolidLayer;
      break;
  }
  return body;
}

bool Arena::is_valid(const EntityState& entity, const Map& map, Tick tick) const {
  // Nothing is faster than a bullet: a contact never makes a body faster than both were.
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::abs(entity.velocity[axis]) > bullet_speed_) return false;
  }
  const Traits& traits = entity.traits;
  switch (traits.kind) {
    case EntityKind::Player:
      return traits.timer <= reload_ticks_;
    case EntityKind::Crate:
      return entity.id < crate_body(static_cast<std::uint32_t>(map.crates.size())) &&
             traits.move == 0 && traits.timer == 0;
    case EntityKind::Bullet:
      // The timer counts from the tick in which the bullet was spawned.
      return traits.move == 0 && traits.timer > 0 &&
             age_of(entity.id, tick) + 1 + traits.timer == bullet_ticks_;
  }
  return false;
}

/// A bullet begins inside its shooter. A shooter that was pushed in the direction of its shot may
/// keep up with the bullet for a tick.
bool Arena::may_overlap(const sim::Body& a, const sim::Body& b) const {
  const bool a_is_bullet = has_kind(a.id, EntityKind::Bullet);
  const BodyId bullet = a_is_bullet ? a.id : b.id;
  const BodyId other = a_is_bullet ? b.id : a.id;
  return has_kind(bullet, EntityKind::Bullet) && has_kind(other, EntityKind::Player) &&
         player_of(bullet) == player_of(other);
}

void Arena::open(World& world) const {
  std::uint32_t number = 0;
  for (const Vec2 place : world.map()->crates) {
    const EntityState crate{.id = crate_body(number++),
                            .min = place,
                            .velocity = {},
                            .traits = {.kind = EntityKind::Crate}};
    world.add(body_for(crate), crate.traits);
  }
}

void Arena::leave(World& world, PlayerId player) const {
  SeatState& seat = world.seat(player);
  TICKBOX_ASSERT(seat.taken);
  world.remove(world.body_of(player));
  seat.taken = false;
}

void Arena::join(World& world, std::span<const PlayerId> players) const {
  if (players.empty()) return;
  FreePlaces places{world};
  for (const PlayerId player : players) {
    SeatState& seat = world.seat(player);
    TICKBOX_ASSERT(!seat.taken);
    seat = {.generation = (seat.generation + 1) % kGenerations, .score = 0, .taken = true};
    const std::uint16_t place = draw_place(world, places_to_draw_from(world), places);
    const EntityState entity{.id = world.body_of(player),
                             .min = world.map()->spawn_points[place],
                             .velocity = {},
                             .traits = {.kind = EntityKind::Player}};
    world.add(body_for(entity), entity.traits);
    places.on_taken(place);
  }
}

void Arena::apply_inputs(World& world, std::span<const PlayerInput> inputs,
                         TickEvents& events) const {
  for (const PlayerInput& given : inputs) {
    const std::size_t index = world.index_of(world.body_of(given.player));
    if (index != world.size()) {
      world.traits()[index].move = clamped(given.input).move;
    }
  }
  // In the order of ids, players are first, then crates.
  std::size_t i = 0;
  for (; i < world.size() && world.traits()[i].kind == EntityKind::Player; ++i) {
    run(world, i);
  }
  for (; i < world.size() && world.traits()[i].kind == EntityKind::Crate; ++i) {
    Vec2& velocity = world.physics().movers()[i].velocity;
    velocity = {approach(velocity.x, 0, friction_), approach(velocity.y, 0, friction_)};
  }
  for (const PlayerInput& given : inputs) {
    const Input input = clamped(given.input);
    const std::optional<Weapon> weapon = weapon_of(input);
    if (!weapon) continue;
    const std::size_t index = world.index_of(world.body_of(given.player));
    if (index == world.size()) continue;
    const Shot shot{.player = given.player, .aim = input.aim, .weapon = *weapon};
    if (shoot(world, index, shot)) events.shots.push_back(shot);
  }
}

void Arena::run(World& world, std::size_t index) const {
  sim::Body& body = world.physics().movers()[index];
  Traits& traits = world.traits()[index];
  // An invalid stick exists only in a world with corrupt memory: the hashes must find that, so this
  // is no assertion.
  const Vec2 direction = traits.move < kMoves.size() ? kMoves[traits.move] : Vec2{};
  const std::int32_t speed = direction.x != 0 && direction.y != 0 ? diagonal_speed_ : run_speed_;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int32_t rate = direction[axis] != 0 ? acceleration_ : friction_;
    body.velocity[axis] = approach(body.velocity[axis], direction[axis] * speed, rate);
  }
  if (traits.timer > 0) --traits.timer;
}

/// Fires a weapon if it is loaded. The step does not decide which player a ray hits.
bool Arena::shoot(World& world, std::size_t index, const Shot& shot) const {
  const sim::Body& body = world.physics().movers()[index];
  Traits& traits = world.traits()[index];
  const BodyId id = bullet_body(shot.player, world.tick);
  if (traits.timer > 0 || world.index_of(id) != world.size()) return false;
  traits.timer = reload_ticks_;
  if (shot.weapon == Weapon::Ray) return true;
  const EntityState bullet{.id = id,
                           .min = middle_of(body.min, kBulletSize),
                           .velocity = aimed(shot.aim, bullet_speed_),
                           .traits = {.kind = EntityKind::Bullet, .timer = bullet_ticks_}};
  sim::Body bullet_box = body_for(bullet);
  bullet_box.ignores = body.id;
  world.add(bullet_box, bullet.traits);
  return true;
}

std::optional<sim::Cast> Arena::ray_of(const World& world, const PlayerInput& given) const {
  const Input input = clamped(given.input);
  if (weapon_of(input) != Weapon::Ray) return std::nullopt;
  const std::size_t index = world.index_of(world.body_of(given.player));
  if (index == world.size()) return std::nullopt;
  // The step decrements the timer before it tests it.
  if (world.traits()[index].timer > 1) return std::nullopt;
  const sim::Body& body = world.physics().movers()[index];
  return sim::Cast{.from = middle_of(body.min, {1, 1}),
                   .way = aimed(input.aim, kRayReach),
                   .layers = kBulletLayer,
                   .collides_with = kSolidLayer,
                   .ignores = body.id};
}

void Arena::after_step(World& world, const sim::StepReport& report, Authority authority,
                       TickEvents& events) const {
  spend_bullets(world, report, events);
  // From here on a bullet may hit its owner like anyone else, so its fields alone are its whole
  // state.
  for (std::size_t i = world.size(); i > 0 && world.traits()[i - 1].kind == EntityKind::Bullet;
       --i) {
    sim::Body& bullet = world.physics().movers()[i - 1];
    bullet.ignores = sim::kNoBody;
    if (--world.traits()[i - 1].timer == 0) {
      world.remove(bullet.id);
    }
  }
  if (authority == Authority::Client) {
    return;
  }
  for (const Hit& hit : events.hits) {
    if (world.seat(hit.shooter).taken) {
      ++world.seat(hit.shooter).score;
    }
  }
  draw_teleports(world, *this, events);
}

void Arena::place(World& world, Teleport teleport) const {
  sim::Body* body = world.physics().find_mover(world.body_of(teleport.player));
  if (body == nullptr) return;
  body->min = world.map()->spawn_points[teleport.place];
  body->velocity = {};
}

}  // namespace tickbox::game
