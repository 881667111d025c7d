// One player may influence another by a contact or a ray only, so no rule searches the room. The
// one exception is the choice of a spawn point, which only the server makes and sends as an
// outcome.

#include "games/arena/arena.h"

#include "games/arena/layout.h"
#include "tickbox/adapter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace tickbox::games {
namespace {

/// What a player wants in one tick.
struct Pad {
  Int<0, 8> move;  ///< 0 at rest, else 1 (east) to 8, clockwise in eighths of a turn
  Press shoot;
  Press ray;  ///< fires nothing if `shoot` is down too
  Int<0, kDirections - 1> aim;
  TICKBOX_FIELDS(Pad, move, shoot, ray, aim)
};

/// What a bot remembers while it sees nobody.
struct Stroll {
  Int<0, 8> move;
  Int<0, 360> left;  ///< ticks for which it keeps on
  TICKBOX_FIELDS(Stroll, move, left)
};

struct Hero {
  Int<0, 120> reload;  ///< ticks until it may shoot again
  TICKBOX_FIELDS(Hero, reload)
};

struct Crate {
  TICKBOX_FIELDS(Crate)
};

struct Bullet {
  Int<0, 240> left;  ///< ticks until it despawns
  TICKBOX_FIELDS(Bullet, left)
};

/// An outcome: the place to which the server teleports a player that was hit.
struct Respawn {
  Int<0, 65'535> place;
  TICKBOX_FIELDS(Respawn, place)
};

struct Hit {
  Player shooter;
  Player victim;
  TICKBOX_FIELDS(Hit, shooter, victim)
};

struct Score {
  Int<0, 9'999> points;  ///< stays at the most
  TICKBOX_FIELDS(Score, points)
};

constexpr Vec2 kBulletSize{kUnit / 10, kUnit / 10};

constexpr std::uint16_t kSolidLayer = 1;
constexpr std::uint16_t kBulletLayer = 2;

constexpr std::int32_t kRunSpeed = 8;       // units/s
constexpr std::int32_t kBulletSpeed = 200;  // units/s
constexpr std::int32_t kAcceleration = 60;  // units/s²: full speed after 9 ticks at 60 Hz
constexpr std::int32_t kFriction = 40;      // units/s²
constexpr std::int32_t kReloadMs = 500;
constexpr std::int32_t kBulletMs = 1'000;

/// 1/√2 in 1/65,536.
constexpr std::int64_t kDiagonal = 46'341;

/// The length of a ray: as far as a player sees along the longer side of the screen.
constexpr std::int32_t kRayReach = 24 * kUnit;

/// The spawn points near the middle from which a respawn draws: enough for everyone present, and
/// some more.
constexpr std::int32_t kPlacesPerPlayer = 6;
constexpr std::int32_t kPlacesMin = 24;

constexpr std::size_t kSeatsMost = 4'096;

constexpr std::array<Vec2, 9> kMoves = {
    {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}};

std::int32_t approach(std::int32_t value, std::int32_t target, std::int32_t by) {
  return value < target ? std::min(value + by, target) : std::max(value - by, target);
}

/// Returns the minimum corner of a box of this size in the middle of a player.
Vec2 middle_of(Vec2 player, Vec2 size) {
  return {player.x + (kPlayerSize.x - size.x) / 2, player.y + (kPlayerSize.y - size.y) / 2};
}

/// The way from one place to another, in sub-units.
struct Way {
  std::int64_t x = 0;
  std::int64_t y = 0;

  /// Returns the length along the axes.
  [[nodiscard]] std::int64_t length() const { return std::abs(x) + std::abs(y); }
};

/// Returns the aim along a way, rounded up to whole directions; 0 for no way.
std::int32_t aim_along(Way way) {
  if (way.length() == 0) return 0;
  constexpr std::int32_t kQuarter = kDirections / 4;
  // Turn the way into the first quarter.
  std::int32_t turned = 0;
  for (; way.x <= 0 || way.y < 0; turned += kQuarter) {
    way = {.x = way.y, .y = -way.x};
  }
  const auto is_before = [way](std::int32_t direction) {
    const Vec2 towards = aimed(direction, kUnit);
    return towards.x * way.y > towards.y * way.x;
  };
  std::int32_t direction = 0;
  while (direction < kQuarter && is_before(direction))
    ++direction;
  return (direction + turned) % kDirections;
}

/// Returns the move in the eighth of a turn along a way; 0 for no way.
std::int32_t move_along(Way way) {
  // tan 22.5° is close to 2/5.
  const bool along_x = std::abs(way.x) * 5 > std::abs(way.y) * 2;
  const bool along_y = std::abs(way.y) * 5 > std::abs(way.x) * 2;
  const Vec2 direction{!along_x ? 0 : way.x > 0 ? 1 : -1, !along_y ? 0 : way.y > 0 ? 1 : -1};
  return static_cast<std::int32_t>(std::ranges::find(kMoves, direction) - kMoves.begin());
}

struct Arena {
  static constexpr std::string_view name = "arena";
  static constexpr std::uint32_t version = 2;
  static constexpr bool moves = true;
  static constexpr std::array<std::string_view, 1> bot_styles = {"chase"};
  static constexpr std::array keys = {
      Key{"d", Pad{.move = 1}},
      Key{"s+d", Pad{.move = 2}},
      Key{"s", Pad{.move = 3}},
      Key{"a+s", Pad{.move = 4}},
      Key{"a", Pad{.move = 5}},
      Key{"w+a", Pad{.move = 6}},
      Key{"w", Pad{.move = 7}},
      Key{"w+d", Pad{.move = 8}},
      Key{"right", Pad{.shoot = {true}, .aim = 0}},
      Key{"down", Pad{.shoot = {true}, .aim = kDirections / 4}},
      Key{"left", Pad{.shoot = {true}, .aim = kDirections / 2}},
      Key{"up", Pad{.shoot = {true}, .aim = kDirections / 4 * 3}},
      Key{"l", Pad{.ray = {true}, .aim = 0}},
      Key{"k", Pad{.ray = {true}, .aim = kDirections / 4}},
      Key{"j", Pad{.ray = {true}, .aim = kDirections / 2}},
      Key{"i", Pad{.ray = {true}, .aim = kDirections / 4 * 3}},
  };
  using Input = Pad;
  using Avatar = Hero;
  using Kinds = List<Hero, Crate, Bullet>;
  using Outcomes = List<Respawn>;
  using Events = List<Hit>;
  using Seat = Score;
  using BotState = Stroll;
  using Step = tickbox::Step<Arena>;
  using Server = tickbox::Server<Arena>;
  using BotView = tickbox::BotView<Arena>;

  // A contact with a bullet may make a body as fast as the bullet; running does not.
  static constexpr std::int32_t top_speed(const Hero&) { return kRunSpeed; }

  static constexpr std::int32_t top_speed(const Crate&) { return kRunSpeed; }

  static constexpr std::int32_t top_speed(const Bullet&) { return kBulletSpeed; }

  static constexpr Look look(const Crate&) { return {.glyph = '#', .colour = Colour::Red}; }

  static constexpr Look look(const Bullet&) { return {.glyph = '*', .shape = Shape::Disc}; }

  static Caption text(const Hit& hit) { return {"{} hit {}", hit.shooter, hit.victim}; }

  /// Only the server decides what the bullets of others do to a body.
  static constexpr Predict predict(const Bullet&) { return Predict::OwnOnly; }

  static Body body(const Hero&) { return {.size = kPlayerSize, .mass = 4, .layers = kSolidLayer}; }

  static Body body(const Crate&) { return {.size = kCrateSize, .mass = 2, .layers = kSolidLayer}; }

  static Body body(const Bullet&) {
    return {.size = kBulletSize,
            .response = Response::Stop,
            .layers = kBulletLayer,
            .collides_with = kSolidLayer};
  }

  static void map(MapBuilder& map, const MapOptions& options) {
    const ArenaLayout layout = make_arena_layout(options.seats);
    for (const ArenaWall& wall : layout.walls) {
      map.solid(wall.min, wall.size);
    }
    for (const Vec2 place : layout.crates) {
      map.object("crate", place, kCrateSize);
    }
    for (const Vec2 place : layout.spawn_points) {
      map.object("spawn", place, kPlayerSize);
    }
  }

  /// A press that fires nothing has no effect, nor has an aim without a shot. The reload counts
  /// down before it is tested.
  static Pad significant(Pad pad, const Hero& hero) {
    const bool is_loaded = hero.reload <= 1;
    if (!is_loaded) pad.shoot = pad.ray = {};
    if (pad.shoot) pad.ray = {};
    if (!pad.shoot && !pad.ray) pad.aim = 0;
    return pad;
  }

  static void act(Entity<Hero> me, const Pad& pad, Step& step) {
    run(me, pad, step);
    --me->reload;
    if (me->reload > 0 || (!pad.shoot && !pad.ray)) return;
    me->reload = step.ticks(kReloadMs);
    if (!pad.shoot) return;
    step.spawn(Bullet{.left = step.ticks(kBulletMs)}, middle_of(me.min, kBulletSize),
               aimed(pad.aim, step.speed(kBulletSpeed)), Parent::IgnoredThisTick);
  }

  static void run(Entity<Hero> me, const Pad& pad, Step& step) {
    const Vec2 direction = kMoves[pad.move.index()];
    if (direction == Vec2{} && me.velocity == Vec2{}) return;
    const bool is_diagonal = direction.x != 0 && direction.y != 0;
    const std::int32_t straight = step.speed(kRunSpeed);
    const auto diagonal = static_cast<std::int32_t>(straight * kDiagonal / kUnit);
    const std::int32_t speed = is_diagonal ? diagonal : straight;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const std::int32_t wanted = direction[axis] * speed;
      if (me.velocity[axis] == wanted) continue;  // as most are
      const std::int32_t rate = step.accel(direction[axis] != 0 ? kAcceleration : kFriction);
      me.velocity[axis] = approach(me.velocity[axis], wanted, rate);
    }
  }

  static void act(Entity<Crate> me, Step& step) {
    if (me.velocity == Vec2{}) return;
    const std::int32_t friction = step.accel(kFriction);
    me.velocity = {approach(me.velocity.x, 0, friction), approach(me.velocity.y, 0, friction)};
  }

  /// The ray that `act` has just fired.
  static std::optional<Ray> ray(ConstEntity<Hero> me, const Pad& pad, const Moment& moment) {
    const bool has_fired = me->reload == moment.ticks(kReloadMs);
    if (!pad.ray || pad.shoot || !has_fired) return std::nullopt;
    return Ray{.from = middle_of(me.min, {1, 1}),
               .way = aimed(pad.aim, kRayReach),
               .layers = kBulletLayer,
               .collides_with = kSolidLayer,
               .ignores = me.ref};
  }

  static void struck(Entity<Hero> me, Player shooter, Step& step) { hit(me, shooter, step); }

  static void contact(Entity<Bullet> me, Entity<Hero> it, Contact, Step& step) {
    step.remove(me.ref);
    hit(it, me.owner, step);
  }

  static void contact(Entity<Bullet> me, Entity<Crate>, Contact, Step& step) {
    step.remove(me.ref);
  }

  static void wall(Entity<Bullet> me, Contact, Step& step) { step.remove(me.ref); }

  static void after(Entity<Bullet> me, Step& step) {
    --me->left;
    if (me->left == 0) step.remove(me.ref);
  }

  static void hit(Entity<Hero> me, Player shooter, Step& step) {
    step.emit(me.ref, Hit{.shooter = shooter, .victim = me.owner});
  }

  static void open(Server& server) {
    for (const MapObject& crate : server.objects("crate")) {
      server.spawn(Crate{}, crate.min);
    }
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Hero{}, server.objects("spawn")[free_place(server)].min);
  }

  /// Each player that was hit appears elsewhere, and its shooter scores. Several hits in one tick
  /// count once.
  static void decide(Server& server) {
    if (server.events<Hit>().empty()) return;
    std::array<bool, kSeatsMost> is_hit{};
    for (const Hit& hit : server.events<Hit>()) {
      if (is_hit[hit.victim.seat]) continue;
      is_hit[hit.victim.seat] = true;
      if (server.has(hit.shooter)) ++server.seat(hit.shooter).points;
    }
    std::array<Ref, kSeatsMost> heroes{};
    server.for_each<Hero>([&](const auto& hero) { heroes[hero.owner.seat] = hero.ref; });
    is_hit = {};
    for (const Hit& hit : server.events<Hit>()) {
      if (is_hit[hit.victim.seat]) continue;
      is_hit[hit.victim.seat] = true;
      server.decide(heroes[hit.victim.seat], Respawn{.place = free_place(server)});
    }
  }

  /// Draws a spawn point, and returns the number of the first free one from there on. There always
  /// is one: the map has more than can be occupied.
  static std::int32_t free_place(Server& server) {
    const MapObjects places = server.objects("spawn");
    const std::int32_t near =
        std::min(places.size(), std::max(kPlacesMin, kPlacesPerPlayer * server.players()));
    const std::int32_t start = server.random(near);
    std::int32_t place = start;
    while (!server.is_free(places[place].min, kPlayerSize)) {
      place = (place + 1) % places.size();
      if (place == start) break;
    }
    return place;
  }

  /// A client may receive any place within the range.
  static void apply(Entity<Hero> me, const Respawn& respawn, Step& step) {
    const MapObjects places = step.objects("spawn");
    if (respawn.place >= places.size()) return;
    me.min = places[respawn.place].min;
    me.velocity = {};
  }

  /// Runs to the nearest other player, and shoots at it once a second on average, half of the time
  /// with a ray. Strolls while it sees nobody.
  static Pad bot(const BotView& view, Stroll& stroll, std::string_view) {
    const auto me = view.own();
    if (!me) return {};
    std::optional<Way> nearest;
    view.for_each<Hero>([&](ConstEntity<Hero> it) {
      if (it.owner == view.me()) return;
      const Way way{.x = std::int64_t{it.min.x} - me->min.x,
                    .y = std::int64_t{it.min.y} - me->min.y};
      if (!nearest || way.length() < nearest->length()) nearest = way;
    });
    if (!nearest) return strolled(view, stroll);
    Pad pad{.move = move_along(*nearest)};
    if (pad.move == 0 || !shoots(view)) return pad;
    (view.random(2) == 0 ? pad.shoot : pad.ray) = {true};
    pad.aim = aim_along(*nearest);
    return pad;
  }

  static Pad strolled(const BotView& view, Stroll& stroll) {
    if (stroll.left == 0) {
      stroll.left = view.ticks(500) + view.random(view.ticks(1'000) + 1);
      stroll.move = view.random(static_cast<std::int32_t>(kMoves.size()));
    }
    --stroll.left;
    Pad pad{.move = stroll.move};
    if (shoots(view)) {
      pad.shoot = {true};
      pad.aim = view.random(kDirections);
    }
    return pad;
  }

  static bool shoots(const BotView& view) { return view.random(view.ticks(1'000)) == 0; }
};

static_assert(GameRules<Arena>);

}  // namespace

const GameTable& arena() {
  return kGameTable<Arena>;
}

}  // namespace tickbox::games
