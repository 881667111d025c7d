#pragma once
// A game on an open field whose values a test sets and sees: runners, crates and darts. A test puts
// entities into their places by commands.

#include "core/bytes.h"
#include "tickbox/adapter.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tickbox::tests::field {

struct Pad {
  Int<-1, 1> x;
  Int<-1, 1> y;
  Press shoot;  ///< a dart to the right
  TICKBOX_FIELDS(Pad, x, y, shoot)
};

struct Runner {
  Int<0, 1'000> paint;
  TICKBOX_FIELDS(Runner, paint)
};

struct Crate {
  TICKBOX_FIELDS(Crate)
};

struct Dart {
  Int<0, 255> left = 60;  ///< ticks
  TICKBOX_FIELDS(Dart, left)
};

/// A place in quarters of a unit.
struct Moved {
  Int<-100'000, 100'000> x;
  Int<-100'000, 100'000> y;
  TICKBOX_FIELDS(Moved, x, y)
};

struct Painted {
  Int<0, 1'000> paint;
  TICKBOX_FIELDS(Painted, paint)
};

struct Healed {
  TICKBOX_FIELDS(Healed)
};

/// A command: puts the player's runner here, in quarters of a unit.
struct Put {
  Int<-100'000, 100'000> x;
  Int<-100'000, 100'000> y;
  TICKBOX_FIELDS(Put, x, y)
};

/// A command: spawns a crate here, in quarters of a unit.
struct Drop {
  Int<-100'000, 100'000> x;
  Int<-100'000, 100'000> y;
  TICKBOX_FIELDS(Drop, x, y)
};

/// A command: changes the room's state.
struct Rain {
  Int<0, 9> rain;
  TICKBOX_FIELDS(Rain, rain)
};

/// A command: paints the player's runner.
struct Paint {
  Int<0, 1'000> paint;
  TICKBOX_FIELDS(Paint, paint)
};

struct Hit {
  Player shooter;
  Player witness;  ///< nobody, or a player that the event also names
  TICKBOX_FIELDS(Hit, shooter, witness)
};

struct Score {
  Int<0, 1'000> points;
  TICKBOX_FIELDS(Score, points)
};

struct Weather {
  Int<0, 9> rain;
  TICKBOX_FIELDS(Weather, rain)
};

inline constexpr std::int32_t kQuarter = kUnit / 4;
inline constexpr std::int32_t kSpeed = 6;        // units per second
inline constexpr std::int32_t kDartSpeed = 120;  // units per second
/// The place of a runner that a dart has hit.
inline constexpr Vec2 kElsewhere{0, 500 * kUnit};
inline constexpr Vec2 kSight{10 * kUnit, 10 * kUnit};

/// Runners join far from each other. The only wall is at y = −20 to −19 units.
struct Field {
  static constexpr std::string_view name = "field";
  static constexpr std::uint32_t version = 1;
  using Input = Pad;
  using Avatar = Runner;
  using Kinds = List<Runner, Crate, Dart>;
  using Outcomes = List<Moved, Painted, Healed>;
  using Commands = List<Put, Drop, Rain, Paint>;
  using Events = List<Hit>;
  using Seat = Score;
  using Room = Weather;
  using Step = tickbox::Step<Field>;
  using Server = tickbox::Server<Field>;

  static constexpr std::int32_t top_speed(const Runner&) { return kSpeed; }

  static constexpr std::int32_t top_speed(const Crate&) { return kSpeed; }

  static constexpr std::int32_t top_speed(const Dart&) { return kDartSpeed; }

  static Body body(const Runner&) { return {.mass = 4}; }

  static Body body(const Crate&) { return {.mass = 2}; }

  static Body body(const Dart&) { return {.size = {kQuarter, kQuarter}, .layers = 2}; }

  static Vec2 sight(const Runner&) { return kSight; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.solid({-50 * kUnit, -20 * kUnit}, {100 * kUnit, kUnit});
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Runner{}, {(1'000 + 100 * who.seat) * kUnit, 1'000 * kUnit});
  }

  static void command(Server& server, Player who, const Put& put) {
    server.for_each<Runner>([&](ConstEntity<Runner> each) {
      if (each.owner == who) server.decide(each.ref, Moved{.x = put.x, .y = put.y});
    });
  }

  static void command(Server& server, Player, const Drop& drop) {
    server.spawn(Crate{}, {drop.x * kQuarter, drop.y * kQuarter});
  }

  static void command(Server& server, Player, const Rain& rain) { server.room().rain = rain.rain; }

  static void command(Server& server, Player who, const Paint& paint) {
    server.for_each<Runner>([&](ConstEntity<Runner> each) {
      if (each.owner == who) server.decide(each.ref, Painted{.paint = paint.paint});
    });
  }

  static void act(Entity<Runner> me, const Pad& pad, Step& step) {
    me.velocity = {pad.x * step.speed(kSpeed), pad.y * step.speed(kSpeed)};
    if (!pad.shoot) return;
    step.spawn(Dart{}, {me.min.x + kUnit / 2, me.min.y + kUnit / 2}, {step.speed(kDartSpeed), 0},
               Parent::IgnoredThisTick);
  }

  static void act(Entity<Crate> me, Step&) { me.velocity = {}; }

  static void contact(Entity<Dart> me, Entity<Runner> it, Contact, Step& step) {
    step.remove(me.ref);
    ++it->paint;
    step.emit(it.ref, Hit{.shooter = me.owner, .witness = {}});
  }

  static void contact(Entity<Dart> me, Entity<Crate>, Contact, Step& step) { step.remove(me.ref); }

  static void after(Entity<Dart> me, Step& step) {
    --me->left;
    if (me->left == 0) step.remove(me.ref);
  }

  /// The shooter scores, and the runner that was hit is moved to kElsewhere.
  static void decide(Server& server) {
    for (const Hit& hit : server.events<Hit>()) {
      if (server.has(hit.shooter)) ++server.seat(hit.shooter).points;
    }
    server.for_each<Runner>([&](ConstEntity<Runner> each) {
      if (each->paint % 2 == 0) return;
      server.decide(each.ref, Moved{.x = kElsewhere.x / kQuarter, .y = kElsewhere.y / kQuarter});
    });
  }

  static void apply(Entity<Runner> me, const Moved& moved, Step&) {
    me.min = {moved.x * kQuarter, moved.y * kQuarter};
    if (me->paint % 2 != 0) ++me->paint;
  }

  static void apply(Entity<Runner> me, const Painted& painted, Step&) { me->paint = painted.paint; }

  static void apply(Entity<Runner> me, const Healed&, Step&) { me->paint = 0; }
};

static_assert(GameRules<Field>);

inline const GameTable& game() {
  return kGameTable<Field>;
}

/// Returns the bytes of a declared type in memory.
template <class Type>
std::vector<std::byte> bytes_of(const Type& value) {
  const auto bytes = std::as_bytes(std::span{&value, 1});
  return {bytes.begin(), bytes.end()};
}

}  // namespace tickbox::tests::field
