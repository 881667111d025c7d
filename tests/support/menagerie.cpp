#include "tests/support/menagerie.h"

#include "tickbox/adapter.h"
#include "tickbox/game.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tickbox::tests {
namespace {

struct Pad {
  Int<-1, 1> walk;
  bool jump = false;
  Press bomb;
  Press look;
  Press shoot;
  Press smash;
  TICKBOX_FIELDS(Pad, walk, jump, bomb, look, shoot, smash)
};

struct Walker {
  Int<0, 255> hurt;  ///< ticks in which it does nothing but walk
  Int<0, 1'000> seen;
  Int<0, 60'000> coins;
  Ref target;  ///< whom it saw last
  Ref crate;   ///< which it touched last
  Player shot_by;
  Array<Int<0, 7>, 3> colours;
  bool jump_was = false;
  TICKBOX_FIELDS(Walker, hurt, seen, coins, target, crate, shot_by, colours, jump_was)
};

/// The second and the third entity of a player.
struct Pet {
  Int<0, 31> rest;
  TICKBOX_FIELDS(Pet, rest)
};

struct Bomb {
  Int<0, 255> fuse;
  TICKBOX_FIELDS(Bomb, fuse)
};

struct Spark {
  Int<0, 255> left;
  Int<0, 7> colour;
  TICKBOX_FIELDS(Spark, left, colour)
};

/// Shines after a pet has looked at it.
struct Coin {
  Int<0, 7> shine;
  TICKBOX_FIELDS(Coin, shine)
};

/// A wall that cracks, heals, moves when a bomb is near, and breaks.
struct Brick {
  Int<0, 3> cracks;
  Int<0, 255> heals;  ///< ticks until it has one crack less
  TICKBOX_FIELDS(Brick, cracks, heals)
};

struct Lift {
  TICKBOX_FIELDS(Lift)
};

struct Crate {
  Int<-100'000, 100'000> bumps;
  Ref pusher;  ///< who touched it last
  TICKBOX_FIELDS(Crate, bumps, pusher)
};

struct Gift {
  Int<1, 9> coins;
  TICKBOX_FIELDS(Gift, coins)
};

/// A player asks to look at a place.
struct LookAt {
  Int<0, 29> x;
  bool self = false;
  TICKBOX_FIELDS(LookAt, x, self)
};

struct Boom {
  Int<-2'000, 2'000> x;
  TICKBOX_FIELDS(Boom, x)
};

struct Taken {
  Player by;
  TICKBOX_FIELDS(Taken, by)
};

struct Fallen {
  Player who;
  TICKBOX_FIELDS(Fallen, who)
};

/// What is published of a player that has lost its lives.
struct Lost {
  Player who;
  Int<0, 60'000> coins;
  TICKBOX_FIELDS(Lost, who, coins)
};

struct Lives {
  Int<0, 9> left = 3;
  Int<0, 255> back_in;  ///< ticks until a player without entities gets them again; 0: it has them
  TICKBOX_FIELDS(Lives, left, back_in)
};

struct Weather {
  Int<-3, 3> wind;
  Int<0, 1'000'000> booms;
  TICKBOX_FIELDS(Weather, wind, booms)
};

struct Hidden {
  Int<0, 30> treasure = 5;
  TICKBOX_FIELDS(Hidden, treasure)
};

/// What a bot remembers.
struct Goal {
  Ref coin;            ///< to which it walks
  Int<0, 9'999> lost;  ///< coins that were gone before it came
  TICKBOX_FIELDS(Goal, coin, lost)
};

constexpr std::int32_t kWidth = 30;
constexpr Vec2 kWalkerSize{kUnit * 3 / 4, kUnit};
constexpr Vec2 kSmall{kUnit / 4, kUnit / 4};

struct Menagerie {
  static constexpr std::string_view name = "menagerie";
  static constexpr std::uint32_t version = 1;
  static constexpr std::int32_t gravity = 30;
  static constexpr std::array<std::string_view, 2> bot_styles = {"collect", "bomb-pets"};
  static constexpr std::array keys = {Key{"left", Pad{.walk = -1}}, Key{"right", Pad{.walk = 1}},
                                      Key{"up", Pad{.jump = true}}, Key{"b", Pad{.bomb = {true}}},
                                      Key{"space", Pad{.shoot = {true}, .smash = {true}}}};
  using Input = Pad;
  using Avatar = Walker;
  using Kinds = List<Walker, Pet, Bomb, Spark, Coin, Lift, Crate, Brick>;
  using Outcomes = List<Gift>;
  using Commands = List<LookAt>;
  using Events = List<Boom, Taken, Fallen>;
  using Results = List<Lost>;
  using Seat = Lives;
  using Room = Weather;
  using Secret = Hidden;
  using BotState = Goal;
  using Step = tickbox::Step<Menagerie>;
  using Server = tickbox::Server<Menagerie>;
  using BotView = tickbox::BotView<Menagerie>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 20;
  }

  static Body body(const Walker& it) {
    // A hurt walker falls through crates.
    const std::uint16_t meets = it.hurt > 0 ? 1 : 0xffff;
    return {.size = kWalkerSize, .mass = 3, .layers = 2, .collides_with = meets};
  }

  static Body body(const Pet&) {
    return {.size = {kUnit / 2, kUnit / 2}, .gravity = 64, .layers = 2};
  }

  static Body body(const Bomb&) { return {.size = {kUnit / 2, kUnit / 2}, .mass = 2, .layers = 4}; }

  static Body body(const Spark&) {
    return {.size = kSmall,
            .response = Response::Bounce,
            .restitution = 200,
            .layers = 8,
            .collides_with = 1};
  }

  static Body body(const Coin&) {
    return {.size = {kUnit / 2, kUnit / 2},
            .motion = Motion::Fixed,
            .layers = 16,
            .collides_with = 2,
            .sensor = true};
  }

  static Body body(const Brick& it) {
    return {.size = {kUnit, it.cracks >= 2 ? kUnit / 2 : kUnit},
            .motion = Motion::Fixed,
            .friction = 60,
            .one_way = it.cracks == 3 ? OneWay::Up : OneWay::None};
  }

  static Body body(const Lift&) {
    return {.size = {3 * kUnit, kUnit / 2}, .motion = Motion::Kinematic, .squeeze = Squeeze::Crush};
  }

  static Body body(const Crate&) { return {.mass = 2, .friction = 80, .layers = 4}; }

  static void map(MapBuilder& map, const MapOptions&) {
    // The floor has a pit.
    map.solid({0, 12 * kUnit}, {15 * kUnit, kUnit});
    map.solid({17 * kUnit, 12 * kUnit}, {(kWidth - 17) * kUnit, kUnit});
    map.solid({11 * kUnit, 4 * kUnit}, {2 * kUnit, kUnit / 2});
    map.border({-kUnit, -20 * kUnit}, {(kWidth + 2) * kUnit, 36 * kUnit}, Border::Remove);
    map.solid({-kUnit, 0}, {kUnit, 13 * kUnit});
    map.solid({kWidth * kUnit, 0}, {kUnit, 13 * kUnit});
    map.one_way({4 * kUnit, 9 * kUnit}, {5 * kUnit, kUnit / 4}, OneWay::Up);
    constexpr std::array<std::uint8_t, 8> kTiles = {1, 1, 0, 1, 1, 0, 0, 0};
    map.tiles({20 * kUnit, 10 * kUnit}, 4, kTiles);
    const std::array<Vec2, 2> way = {{{12 * kUnit, 11 * kUnit}, {12 * kUnit, 5 * kUnit}}};
    map.object("lift", way[0], {}, map.path(way, 3));
    for (std::int32_t x = 2; x < kWidth; x += 5) {
      map.object("coin", {x * kUnit, 11 * kUnit});
      map.object("spawn", {x * kUnit, 2 * kUnit});
      map.object("crate", {(x + 1) * kUnit, 8 * kUnit});
      map.object("brick", {(x + 3) * kUnit, 9 * kUnit});
    }
  }

  static Pad significant(Pad pad, const Walker& it) {
    // The pets of a hurt walker still hear the other buttons.
    if (it.hurt > 1) pad.shoot = pad.smash = {};
    return pad;
  }

  static bool possible(const Walker& it) { return it.seen <= 999 || it.coins == 0; }

  static constexpr Look look(const Coin&) { return {.glyph = 'o', .colour = Colour::Yellow}; }

  static Look look(const Walker& it) {
    return {.glyph = '@', .colour = static_cast<Colour>(+it.colours[0]), .is_team = true};
  }

  static Caption label(const Weather& weather) { return {"wind {}", weather.wind}; }

  static Caption text(const Taken& it) { return {"{} took a coin", it.by}; }

  static Caption text(const Fallen&) { return {}; }

  static constexpr Predict predict(const Spark&) { return Predict::Never; }

  static constexpr Predict predict(const Pet&) { return Predict::OwnOnly; }

  static Vec2 sight(const Walker& it) { return {(10 + it.colours[0]) * kUnit, 8 * kUnit}; }

  static void crushed(Entity<Walker> me, Step& step) { me->hurt = step.ticks(900); }

  static void crushed(Entity<Crate> me, Step& step) { step.remove(me.ref); }

  static void left(Entity<Walker> me, Step& step) {
    step.spawn(Spark{.left = step.ticks(200)}, {me.min.x, 5 * kUnit});
    step.emit(me.ref, Fallen{me.owner});
  }

  static void command(Server& server, Player who, const LookAt& at) {
    if (!at.self) return server.focus(who, Vec2{at.x * kUnit, 6 * kUnit});
    server.for_each<Walker>([&](ConstEntity<Walker> it) {
      if (it.owner == who) server.focus(who, it.ref);
    });
  }

  static void act(Entity<Walker> me, const Pad& pad, Step& step) {
    const std::int32_t wind = step.room().wind;
    me.velocity.x = pad.walk * step.speed(5) + wind * step.speed(1, 8);
    if (pad.jump && !me->jump_was && step.grounded()) me.velocity.y = -step.speed(14);
    if (step.touching(pad.walk < 0 ? Side::Left : Side::Right)) me->colours[1] = pad.walk + 2;
    me->jump_was = pad.jump;
    --me->hurt;
    if (me->hurt > 0) return;
    if (pad.smash) step.remove(me->crate);
    if (pad.smash && me->coins > 0) {
      // The velocity of a fixed body stays (0, 0).
      step.spawn(Brick{}, {me.min.x + kUnit / 4, me.min.y + kUnit / 2}, {0, -step.speed(3)},
                 Parent::IgnoredUntilApart);
      --me->coins;
    }
    if (pad.bomb) {
      step.spawn(Bomb{.fuse = step.ticks(400)}, {me.min.x, me.min.y + kUnit / 4}, {},
                 Parent::IgnoredUntilApart);
    }
    if (pad.look) {
      const std::optional<RayHit> hit =
          step.raycast({.from = {me.min.x + kUnit / 4, me.min.y + kUnit / 4},
                        .way = {(pad.walk < 0 ? -9 : 9) * kUnit, kUnit},
                        .ignores = me.ref});
      me->target = hit ? hit->ref : Ref{};
    }
    if (me->target != Ref{} && !step.exists(me->target)) me->target = {};
    if (const auto target = step.find<Walker>(me->target)) {
      ++me->seen;
      Entity<Walker> seen = *target;
      if (seen->hurt == 0 && me->seen % 64 == 0) seen->hurt = 3;
    }
  }

  static void act(Entity<Pet> me, const Pad& pad, Step& step) {
    me.velocity.x = -pad.walk * step.speed(4);
    if (pad.look) {
      const auto hit =
          step.raycast({.from = me.min, .way = {-8 * kUnit, kUnit / 2}, .ignores = me.ref});
      me->rest = hit ? hit->place.x / kUnit : 0;
    }
    if (pad.look) {
      step.for_each_in<Coin>(me.min, {3 * kUnit, 3 * kUnit}, [](Entity<Coin> it) { ++it->shine; });
    }
    --me->rest;
    if (me->rest > 0) return;
    // It eats the bombs around it.
    step.for_each_in<Bomb>({me.min.x - kUnit, me.min.y - kUnit}, {3 * kUnit, 3 * kUnit},
                           [&](Entity<Bomb> bomb) {
                             if (bomb->fuse > 3 || me->rest > 0) return;
                             step.remove(bomb.ref);
                             me->rest = 20;
                           });
    if (pad.bomb) step.spawn(Spark{.left = step.ticks(300)}, me.min, {0, -step.speed(6)});
  }

  static void act(Entity<Crate> me, Step& step) {
    if (const auto pusher = step.find<Walker>(me->pusher)) me->bumps += pusher->state.coins;
  }

  static void act(Entity<Brick> me, Step& step) {
    if (me->cracks == 0) return;
    --me->heals;
    if (me->heals > 0) return;
    --me->cracks;
    me->heals = step.ticks(600);
  }

  static void act(Entity<Bomb> me, Step& step) {
    --me->fuse;
    if (me->fuse > 0) return;
    step.emit(me.ref, Boom{me.min.x / kUnit});
    step.for_each_in<Walker>({me.min.x - 2 * kUnit, me.min.y - 2 * kUnit}, {5 * kUnit, 5 * kUnit},
                             [&](Entity<Walker> it) {
                               it->hurt = step.ticks(500);
                               it.velocity.y = -step.speed(9);
                             });
    step.for_each_in<Brick>({me.min.x - kUnit, me.min.y - kUnit}, {3 * kUnit, 3 * kUnit},
                            [&](Entity<Brick> it) {
                              it.min.y -= step.shared_random(2) * kUnit;
                              it.velocity = {step.speed(3), 0};
                              crack(it, step);
                            });
    for (std::int32_t i = -1; i <= 1; ++i) {
      step.spawn(Spark{.left = step.ticks(700)}, me.min,
                 aimed(768 + i * 128 + step.shared_random(64), step.speed(7)),
                 Parent::IgnoredThisTick);
    }
    step.remove(me.ref);
  }

  static void act(Entity<Spark> me, Step& step) { me->colour = step.shared_random(8); }

  static void after(Entity<Spark> me, Step& step) {
    --me->left;
    if (me->left == 0) step.remove(me.ref);
  }

  static void contact(Entity<Walker> me, Entity<Coin> it, Contact, Step& step) {
    step.remove(it.ref);
    ++me->coins;
    step.emit(me.ref, Taken{me.owner});
  }

  static void contact(Entity<Walker> me, Entity<Walker> it, Contact contact, Step& step) {
    me->colours[static_cast<std::size_t>(step.shared_random(3))] = it->colours[0] + 1;
    // It jumps onto the other.
    if (contact.ny < 0 && contact.before.y > step.speed(2)) it->hurt = step.ticks(100);
  }

  static void contact(Entity<Crate> me, Entity<Walker> it, Contact, Step&) {
    me->bumps += 3;
    me->pusher = it.ref;
    it->crate = me.ref;
  }

  static void contact(Entity<Crate> me, Entity<Crate>, Contact, Step&) { ++me->bumps; }

  static void contact(Entity<Crate> me, Entity<Brick>, Contact contact, Step&) {
    me->bumps += contact.ny != 0 ? 7 : 5;
  }

  static void contact(Entity<Brick> me, Entity<Walker> it, Contact contact, Step& step) {
    it->colours[2] = me->cracks + 0;
    // A head hits the brick from below.
    if (contact.ny < 0) crack(me, step);
  }

  static void contact(Entity<Brick> me, Entity<Spark>, Contact, Step& step) { crack(me, step); }

  static void crack(Entity<Brick> it, Step& step) {
    if (it->cracks == 3) return step.remove(it.ref);
    ++it->cracks;
    it->heals = step.ticks(600);
  }

  static void wall(Entity<Crate> me, Contact contact, Step&) {
    me->bumps -= contact.nx != 0 ? 2 : 1;
  }

  static std::optional<Ray> ray(ConstEntity<Walker> me, const Pad& pad, const Moment&) {
    if (!pad.shoot || me->hurt > 0) return std::nullopt;
    return Ray{.from = me.min, .way = {12 * kUnit, 0}, .ignores = me.ref};
  }

  static void struck(Entity<Walker> me, Player shooter, Step& step) {
    me->shot_by = shooter;
    me->hurt = step.ticks(200);
  }

  static void struck(Entity<Brick> me, Player, Step& step) { crack(me, step); }

  static void apply(Entity<Brick> me, const Gift& gift, Step& step) {
    me.min = step.objects("brick")[gift.coins % step.objects("brick").size()].min;
    me->cracks = 0;
  }

  static void apply(Entity<Walker> me, const Gift& gift, Step& step) {
    me->coins += gift.coins;
    step.emit(me.ref, Taken{me.owner});
    me.min = step.objects("spawn")[gift.coins % step.objects("spawn").size()].min;
    me.velocity = {};
  }

  static void open(Server& server) {
    for (const MapObject& lift : server.objects("lift")) {
      server.spawn(Lift{}, lift.min, lift.path);
    }
    for (const MapObject& coin : server.objects("coin")) {
      server.spawn(Coin{}, coin.min);
    }
    for (const MapObject& crate : server.objects("crate")) {
      server.spawn(Crate{}, crate.min);
    }
    for (const MapObject& brick : server.objects("brick")) {
      server.spawn(Brick{}, brick.min);
    }
    server.secret().treasure = server.random(30);
  }

  static void spawn_all(Server& server, Player who) {
    const MapObjects places = server.objects("spawn");
    const Vec2 place = places[server.random(places.size())].min;
    server.spawn_avatar(who, Walker{}, place);
    for (std::int32_t i = 0; i < 2; ++i) {
      const Vec2 beside{place.x + i * kUnit, place.y + 2 * kUnit};
      if (server.is_free(beside, {kUnit / 2, kUnit / 2})) server.spawn_avatar(who, Pet{}, beside);
    }
  }

  static void join(Server& server, Player who) {
    const auto letters = static_cast<std::int32_t>(server.token_user_data(who).size());
    server.seat(who).left = 1 + who.seat % 2 + letters % 2;
    spawn_all(server, who);
  }

  static void leave(Server& server, Player who) {
    const std::int32_t lives = server.seat(who).left;
    server.for_each<Walker>([&](ConstEntity<Walker> it) {
      if (it.owner == who && it->coins + lives > 4) server.spawn(Coin{}, it.min);
    });
  }

  static void decide(Server& server) {
    if (!server.events<Boom>().empty()) {
      server.room().booms += static_cast<std::int32_t>(server.events<Boom>().size());
      server.room().wind = server.random(7) - 3;
    }
    for (const Taken& taken : server.events<Taken>()) {
      if (server.has(taken.by)) ++server.seat(taken.by).left;
    }
    for (const Fallen& fallen : server.events<Fallen>()) {
      if (server.has(fallen.who)) server.seat(fallen.who).back_in = server.ticks(300);
    }
    if (server.random(60) == 0) {
      const MapObjects places = server.objects("crate");
      const Vec2 place = places[server.random(places.size())].min;
      if (server.is_free(place, {kUnit, kUnit})) {
        server.spawn(Crate{}, place, {0, -server.speed(6)});
      }
    }
    if (server.random(40) == 0) {
      const MapObjects places = server.objects("coin");
      const Vec2 place = places[server.random(places.size())].min;
      if (server.is_free(place, kSmall)) server.spawn(Coin{}, place);
    }
    if (server.random(40) == 0) rebuild(server);
    server.for_each<Walker>([&](ConstEntity<Walker> it) { reward(server, it); });
    for (std::uint16_t seat = 0; seat < 6; ++seat) {
      if (!server.has({seat}) || server.seat({seat}).back_in == 0) continue;
      if (--server.seat({seat}).back_in; server.seat({seat}).back_in == 0) {
        spawn_all(server, {seat});
      }
    }
  }

  /// One of the bricks moves to where another was, or is.
  static void rebuild(Server& server) {
    Ref chosen;
    server.for_each<Brick>([&](ConstEntity<Brick> it) {
      if (chosen == Ref{} || server.random(3) == 0) chosen = it.ref;
    });
    if (chosen == Ref{}) {
      server.spawn(Brick{}, server.objects("brick")[0].min);
    } else {
      server.decide(chosen, Gift{1 + server.random(9)});
    }
  }

  /// A walker at the treasure gets a gift. A hurt walker loses a life; without lives it is out for
  /// a time.
  static void reward(Server& server, ConstEntity<Walker> it) {
    if (it.min.x / kUnit == server.secret().treasure) {
      server.secret().treasure = server.random(30);
      server.decide(it.ref, Gift{1 + server.random(9)});
    }
    const auto target = server.find<Walker>(it->target);
    if (target && target->state.hurt > 0) server.secret().treasure = it.min.x / kUnit;
    if (it->hurt != 2 || !server.has(it.owner)) return;
    Lives& lives = server.seat(it.owner);
    --lives.left;
    if (lives.left > 0) return;
    server.publish_result(Lost{.who = it.owner, .coins = it->coins});
    lives = {};
    lives.back_in = server.ticks(250);
    server.remove(it.ref);
  }

  /// "collect" walks to a coin, "bomb-pets" lays a bomb where another player's pet is near.
  static Pad bot(const BotView& view, Goal& goal, std::string_view style) {
    const auto me = view.own();
    if (!me) return {};
    if (style == "collect") return to_coin(view, *me, goal);
    Pad pad;
    bool is_near = false;
    view.for_each<Pet>([&](ConstEntity<Pet> pet) {
      is_near = is_near || (pet.owner != view.me() && distance(me->min.x, pet.min.x) < 3 * kUnit);
    });
    pad.bomb = {is_near && view.random(view.ticks(250)) == 0};
    // It walks away from its own pets.
    view.for_each_own<Pet>(
        [&](ConstEntity<Pet> pet) { pad.walk = pet.min.x < me->min.x ? 1 : -1; });
    return pad;
  }

  static Pad to_coin(const BotView& view, ConstEntity<Walker> me, Goal& goal) {
    if (goal.coin != Ref{} && !view.find<Coin>(goal.coin)) {
      goal.coin = {};
      ++goal.lost;
    }
    view.for_each<Coin>([&](ConstEntity<Coin> coin) {
      if (goal.coin == Ref{}) goal.coin = coin.ref;
    });
    const auto coin = view.find<Coin>(goal.coin);
    // Without a coin in view it walks from spawn point to spawn point.
    const MapObjects places = view.objects("spawn");
    const std::int32_t to = coin ? coin->min.x : places[goal.lost % places.size()].min.x;
    // In wind it stops earlier, and is blown to its goal.
    const std::int32_t near = view.room().wind == 0 ? kUnit / 4 : kUnit / 2;
    Pad pad;
    if (distance(me.min.x, to) > near) pad.walk = me.min.x < to ? 1 : -1;
    // It jumps over crates and the pit.
    pad.jump = pad.walk != 0 && me.velocity.x == 0 ? view.random(2) == 0 : view.tick() % 64 < 32;
    return pad;
  }

  static std::int32_t distance(std::int32_t a, std::int32_t b) { return a < b ? b - a : a - b; }
};

static_assert(GameRules<Menagerie>);

}  // namespace

const GameTable& menagerie() {
  return kGameTable<Menagerie>;
}

}  // namespace tickbox::tests
