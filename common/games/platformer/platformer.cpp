// Coyote time and buffered jumps are two counters of the hero; lifts, riders and ledges are the
// physics'. Whatever dies is removed. Then the server spawns a hero again at its player's
// checkpoint.

#include "games/platformer/platformer.h"

#include "games/platformer/courses.h"
#include "tickbox/adapter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <tuple>

namespace tickbox::games {
namespace {

/// What a player wants in one tick.
struct Pad {
  Int<-1, 1> run;
  bool jump = false;  ///< held: the longer, the higher
  TICKBOX_FIELDS(Pad, run, jump)
};

struct Hero {
  Int<0, 31> coyote;    ///< ticks in which it may still jump after it left the ground
  Int<0, 31> buffered;  ///< ticks for which a press still counts
  bool jump_was = false;
  TICKBOX_FIELDS(Hero, coyote, buffered, jump_was)
};

// `home` is the number of the map's object at which the server spawns the entity again when it is
// gone.

struct Goomba {
  Int<0, 63> home;
  bool goes_right = false;
  TICKBOX_FIELDS(Goomba, home, goes_right)
};

struct Crate {
  Int<0, 63> home;
  TICKBOX_FIELDS(Crate, home)
};

struct Coin {
  Int<0, 63> home;
  TICKBOX_FIELDS(Coin, home)
};

struct Lift {
  TICKBOX_FIELDS(Lift)
};

struct Spikes {
  TICKBOX_FIELDS(Spikes)
};

struct Checkpoint {
  Int<0, kCheckpoints - 1> number;
  TICKBOX_FIELDS(Checkpoint, number)
};

struct Goal {
  TICKBOX_FIELDS(Goal)
};

/// An outcome: the hero goes on at a checkpoint.
struct GoOn {
  Int<0, kCheckpoints - 1> checkpoint;
  TICKBOX_FIELDS(GoOn, checkpoint)
};

/// A command: the player goes to the start of the course.
struct Restart {
  TICKBOX_FIELDS(Restart)
};

struct Took {
  Player who;
  TICKBOX_FIELDS(Took, who)
};

struct Stomped {
  Player who;
  TICKBOX_FIELDS(Stomped, who)
};

struct Died {
  Player who;
  TICKBOX_FIELDS(Died, who)
};

struct Reached {
  Player who;
  Int<0, kCheckpoints - 1> checkpoint;
  TICKBOX_FIELDS(Reached, who, checkpoint)
};

struct Finished {
  Player who;
  Ref hero;
  TICKBOX_FIELDS(Finished, who, hero)
};

struct Progress {
  Int<0, INT32_MAX> points;
  Int<0, kCheckpoints - 1> checkpoint;
  Int<0, 9'999> finished;  ///< times
  TICKBOX_FIELDS(Progress, points, checkpoint, finished)
};

/// What a bot remembers.
struct Route {
  Int<-1, 1> run = 1;
  Int<0, 31> stuck;    ///< ticks for which it has not moved
  Int<0, 4'095> idle;  ///< the same, also while it waits
  TICKBOX_FIELDS(Route, run, stuck, idle)
};

constexpr std::uint16_t kHeroes = 2;
constexpr std::uint16_t kThings = 4;

constexpr std::int32_t kRunSpeed = 8;     // units/s
constexpr std::int32_t kRunRate = 60;     // units/s²
constexpr std::int32_t kStopRate = 45;    // units/s²
constexpr std::int32_t kFallSpeed = 18;   // units/s
constexpr std::int32_t kGoombaSpeed = 2;  // units/s
/// A jump rises by 3.3 units at 60 Hz, a jump that is released after one tick by 0.7.
constexpr std::int32_t kJumpSpeed = 33;   // units per 2 s
constexpr std::int32_t kHopSpeed = 6;     // units/s
constexpr std::int32_t kStompSpeed = 11;  // units/s
constexpr std::int32_t kCoyoteMs = 100;
constexpr std::int32_t kBufferMs = 100;
constexpr std::int32_t kGoombaTurnsMs = 4'000;  // on average
constexpr std::int32_t kPatienceMs = 10'000;    // of the bot

std::int32_t approach(std::int32_t value, std::int32_t target, std::int32_t by) {
  return value < target ? std::min(value + by, target) : std::max(value - by, target);
}

struct Platformer {
  static constexpr std::string_view name = "platformer";
  static constexpr std::uint32_t version = 2;
  static constexpr bool moves = true;
  static constexpr std::int32_t gravity = 40;
  static constexpr std::array<std::string_view, 1> bot_styles = {"race"};
  static constexpr std::array maps = kCourses;
  static constexpr std::tuple keys{Key{"a", Pad{.run = -1}},    Key{"left", Pad{.run = -1}},
                                   Key{"d", Pad{.run = 1}},     Key{"right", Pad{.run = 1}},
                                   Key{"w", Pad{.jump = true}}, Key{"space", Pad{.jump = true}},
                                   Key{"r", Restart{}}};
  using Input = Pad;
  using Avatar = Hero;
  using Kinds = List<Hero, Goomba, Crate, Coin, Lift, Spikes, Checkpoint, Goal>;
  using Outcomes = List<GoOn>;
  using Commands = List<Restart>;
  using Events = List<Took, Stomped, Died, Reached, Finished>;
  using Results = List<Finished>;
  using Seat = Progress;
  using BotState = Route;
  using Step = tickbox::Step<Platformer>;
  using Server = tickbox::Server<Platformer>;
  using BotView = tickbox::BotView<Platformer>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 20;
  }

  /// Heroes pass each other: several may be at one checkpoint.
  static Body body(const Hero&) {
    return {.size = kHeroSize, .mass = 4, .layers = kHeroes, .collides_with = kHeroes ^ 0xffff};
  }

  static Body body(const Goomba&) { return {.mass = 2, .layers = kThings}; }

  static Body body(const Crate&) { return {.mass = 2, .friction = 128, .layers = kThings}; }

  static Body body(const Lift&) {
    return {.size = kLiftSize,
            .motion = Motion::Kinematic,
            .layers = kThings,
            .squeeze = Squeeze::Crush};
  }

  static Body body(const Coin&) { return sensor(kCoinSize); }

  static Body body(const Spikes&) { return sensor(kSpikesSize); }

  static Body body(const Checkpoint&) { return sensor(kHeroSize); }

  static Body body(const Goal&) { return sensor(kHeroSize); }

  static Body sensor(Vec2 size) {
    return {.size = size,
            .motion = Motion::Fixed,
            .layers = kThings,
            .collides_with = kHeroes,
            .sensor = true};
  }

  static constexpr Look look(const Goomba&) { return {.glyph = 'g', .colour = Colour::Red}; }

  static constexpr Look look(const Crate&) { return {.glyph = 'c'}; }

  static constexpr Look look(const Checkpoint&) { return {.glyph = 'f', .colour = Colour::Green}; }

  static constexpr Look look(const Goal&) { return {.glyph = 'G', .colour = Colour::Green}; }

  static constexpr Look look(const Coin&) {
    return {.glyph = 'o', .colour = Colour::Yellow, .shape = Shape::Disc};
  }

  static constexpr Look look(const Lift&) { return {.glyph = '=', .colour = Colour::Cyan}; }

  static constexpr Look look(const Spikes&) {
    return {.glyph = '^', .colour = Colour::Red, .shape = Shape::Diamond};
  }

  static Caption text(const Stomped& it) { return {"{} stomped a goomba", it.who}; }

  static Caption text(const Died& it) { return {"{} died", it.who}; }

  static Caption text(const Reached& it) {
    if (it.checkpoint == 0) return {};  // the start
    return {"{} reached checkpoint {}", it.who, it.checkpoint};
  }

  static Caption text(const Finished& it) { return {"{} reached the goal", it.who}; }

  /// As wide as a screen.
  static Vec2 sight(const Hero&) { return {16 * kUnit, 10 * kUnit}; }

  static void map(MapBuilder& map, const MapOptions& options) { build_course(map, options.name); }

  static void act(Entity<Hero> me, const Pad& pad, Step& step) {
    me.velocity.x = approach(me.velocity.x, pad.run * step.speed(kRunSpeed),
                             step.accel(pad.run != 0 ? kRunRate : kStopRate));
    me.velocity.y = std::min(me.velocity.y, step.speed(kFallSpeed));
    if (pad.jump && !me->jump_was) me->buffered = step.ticks(kBufferMs);
    if (!pad.jump) me.velocity.y = std::max(me.velocity.y, -step.speed(kHopSpeed));
    if (me->buffered > 0 && me->coyote > 0) {
      me.velocity.y = -step.speed(kJumpSpeed, 2);
      me->buffered = me->coyote = 0;
    }
    me->jump_was = pad.jump;
    --me->buffered;
    --me->coyote;
  }

  static void after(Entity<Hero> me, Step& step) {
    if (step.grounded()) me->coyote = step.ticks(kCoyoteMs);
  }

  /// Turns at walls and ledges, and now and then.
  static void act(Entity<Goomba> me, Step& step) {
    const Vec2 foot{me.min.x + (me->goes_right ? kUnit : 0), me.min.y + kUnit - 1};
    const bool is_blocked = step.touching(me->goes_right ? Side::Right : Side::Left);
    const bool is_at_ledge =
        step.grounded() &&
        !step.raycast({.from = foot, .way = {0, kUnit / 2}, .layers = kThings, .ignores = me.ref});
    const bool turns = step.shared_random(step.ticks(kGoombaTurnsMs)) == 0;
    if (is_blocked || is_at_ledge || turns) me->goes_right = !me->goes_right;
    me.velocity.x = step.speed(me->goes_right ? kGoombaSpeed : -kGoombaSpeed);
  }

  static void contact(Entity<Hero> me, Entity<Goomba> it, Contact contact, Step& step) {
    if (contact.ny >= 0 || contact.before.y <= 0) return die(me, step);
    me.velocity.y = -step.speed(kStompSpeed);
    step.emit(me.ref, Stomped{me.owner});
    step.remove(it.ref);
  }

  static void contact(Entity<Hero> me, Entity<Coin> it, Contact, Step& step) {
    step.emit(me.ref, Took{me.owner});
    step.remove(it.ref);
  }

  static void contact(Entity<Hero> me, Entity<Spikes>, Contact, Step& step) { die(me, step); }

  static void contact(Entity<Hero> me, Entity<Checkpoint> it, Contact, Step& step) {
    step.emit(me.ref, Reached{.who = me.owner, .checkpoint = it->number});
  }

  static void contact(Entity<Hero> me, Entity<Goal>, Contact, Step& step) {
    step.emit(me.ref, Finished{.who = me.owner, .hero = me.ref});
  }

  static void crushed(Entity<Hero> me, Step& step) { die(me, step); }

  static void crushed(Entity<Crate> me, Step& step) { step.remove(me.ref); }

  static void left(Entity<Hero> me, Step& step) { die(me, step); }

  static void die(Entity<Hero> me, Step& step) {
    step.emit(me.ref, Died{me.owner});
    step.remove(me.ref);
  }

  static void open(Server& server) {
    for (const MapObject& lift : server.objects("lift")) {
      server.spawn(Lift{}, lift.min, lift.path);
    }
    for (const MapObject& spikes : server.objects("spikes")) {
      server.spawn(Spikes{}, spikes.min);
    }
    const MapObjects checkpoints = server.objects("checkpoint");
    for (std::int32_t i = 0; i < checkpoints.size(); ++i) {
      server.spawn(Checkpoint{.number = i}, checkpoints[i].min);
    }
    server.spawn(Goal{}, server.objects("goal")[0].min);
    restock(server);
  }

  static void restock(Server& server) {
    restock<Goomba>(server, "goomba");
    restock<Crate>(server, "crate");
    restock<Coin>(server, "coin");
  }

  /// Spawns those of a kind that are gone, at their homes.
  template <class Kind>
  static void restock(Server& server, std::string_view kind) {
    std::array<bool, 64> is_there{};
    server.for_each<Kind>([&](ConstEntity<Kind> it) { is_there[it->home.index()] = true; });
    const MapObjects homes = server.objects(kind);
    for (std::int32_t i = 0; i < homes.size(); ++i) {
      if (!is_there[static_cast<std::size_t>(i)]) server.spawn(Kind{.home = i}, homes[i].min);
    }
  }

  static void join(Server& server, Player who) {
    const std::int32_t at = server.seat(who).checkpoint;
    server.spawn_avatar(who, Hero{}, server.objects("checkpoint")[at].min);
  }

  static void command(Server& server, Player who, const Restart&) {
    if (const auto hero = server.avatar(who)) restart(server, who, hero->ref);
  }

  static void restart(Server& server, Player who, Ref hero) {
    server.seat(who).checkpoint = 0;
    server.decide(hero, GoOn{0});
  }

  /// A client may receive any number within the range.
  static void apply(Entity<Hero> me, const GoOn& go_on, Step& step) {
    me.min = step.objects("checkpoint")[go_on.checkpoint].min;
    me.velocity = {};
  }

  /// Scores. The goal leads back to the start, and brings back what is gone.
  static void decide(Server& server) {
    for (const Took& took : server.events<Took>()) {
      server.seat(took.who).points += 10;
    }
    for (const Stomped& stomped : server.events<Stomped>()) {
      server.seat(stomped.who).points += 100;
    }
    for (const Reached& reached : server.events<Reached>()) {
      Progress& progress = server.seat(reached.who);
      if (reached.checkpoint > progress.checkpoint) progress.checkpoint = reached.checkpoint;
    }
    for (const Finished& finished : server.events<Finished>()) {
      Progress& progress = server.seat(finished.who);
      server.publish_result(finished);
      progress.points += 1'000;
      ++progress.finished;
      restart(server, finished.who, finished.hero);
    }
    if (!server.events<Finished>().empty()) restock(server);
    for (const Died& died : server.events<Died>()) {
      join(server, died.who);
    }
  }

  /// Runs as the map's cells say, waits for lifts, and jumps over what is in its way. Begins again
  /// where it gets no further.
  static Pad bot(const BotView& view, Route& route, std::string_view) {
    const auto me = view.own();
    if (!me) return {};
    const Vec2 feet{me->min.x + kHeroSize.x / 2, me->min.y + kHeroSize.y - 1};
    if (is_in(view.objects("left"), feet)) route.run = -1;
    if (is_in(view.objects("right"), feet)) route.run = 1;
    const bool stands = is_in(view.objects("stand"), feet) ||
                        (is_in(view.objects("wait"), feet) && !is_lift_near(view, feet, route.run));
    Pad pad{.run = stands ? Int<-1, 1>{} : route.run};
    route.stuck = !stands && me->velocity.x == 0 ? route.stuck + 1 : 0;
    route.idle = me->velocity.x == 0 ? route.idle + 1 : 0;
    if (route.idle > view.ticks(kPatienceMs)) {
      view.command(Restart{});
      route = {};
    }
    const bool is_on_ground = (*me)->coyote == view.ticks(kCoyoteMs);
    const bool wants_up = is_in(view.objects("jump"), feet) ||
                          route.stuck > view.ticks(kBufferMs) ||
                          is_goomba_near(view, feet, pad.run);
    pad.jump = is_on_ground ? wants_up && !(*me)->jump_was : (*me)->jump_was && me->velocity.y < 0;
    return pad;
  }

  static bool is_in(const MapObjects& cells, Vec2 at) {
    return std::ranges::any_of(cells, [at](const MapObject& cell) {
      return at.x >= cell.min.x && at.x < cell.min.x + cell.size.x && at.y >= cell.min.y &&
             at.y < cell.min.y + cell.size.y;
    });
  }

  /// Whether a lift is a step away, not higher than the feet, and does not go away.
  static bool is_lift_near(const BotView& view, Vec2 feet, std::int32_t run) {
    bool is_near = false;
    view.for_each<Lift>([&](ConstEntity<Lift> it) {
      const std::int32_t below = it.min.y - feet.y;
      const std::int32_t ahead = (it.min.x + kLiftSize.x / 2 - feet.x) * run;
      is_near = is_near || (below > 0 && below < 3 * kUnit / 2 && ahead > 0 &&
                            ahead < 7 * kUnit / 2 && it.velocity.x * run <= 0);
    });
    return is_near;
  }

  /// Whether a Goomba is in the way, or on either side if the bot stands.
  static bool is_goomba_near(const BotView& view, Vec2 feet, std::int32_t run) {
    bool is_near = false;
    view.for_each<Goomba>([&](ConstEntity<Goomba> it) {
      const std::int32_t off = it.min.x + kUnit / 2 - feet.x;
      const std::int32_t below = it.min.y + kUnit - feet.y;
      is_near =
          is_near || (off * run >= 0 && std::abs(off) < 5 * kUnit / 2 && std::abs(below) < kUnit);
    });
    return is_near;
  }
};

static_assert(GameRules<Platformer>);

}  // namespace

const GameTable& platformer() {
  return kGameTable<Platformer>;
}

}  // namespace tickbox::games
