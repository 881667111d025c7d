// A bomb burns as far as walls and bricks let it, and its flames light the next bomb. Only the
// server knows which brick hides a gift. `decide` ends rounds and begins them.

#include "games/bomber/bomber.h"

#include "games/bomber/field.h"
#include "tickbox/adapter.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <string_view>

namespace tickbox::games {
namespace {

struct Pad {
  Int<0, 4> walk;  ///< 0 at rest, else right, down, left, up
  Press bomb;
  TICKBOX_FIELDS(Pad, walk, bomb)
};

struct Man {
  Int<0, 6> bombs = 1;  ///< that it may lay now
  Int<2, 6> reach;      ///< of its bombs, in cells
  Int<0, 3> haste;      ///< extra units/s
  TICKBOX_FIELDS(Man, bombs, reach, haste)
};

struct Bomb {
  Ref layer;  ///< who may lay another one afterwards
  Int<2, 6> reach;
  Int<0, 1'023> fuse;  ///< ticks
  TICKBOX_FIELDS(Bomb, layer, reach, fuse)
};

struct Flame {
  Int<0, 255> left;  ///< ticks
  TICKBOX_FIELDS(Flame, left)
};

struct Brick {
  TICKBOX_FIELDS(Brick)
};

struct Gift {
  Int<0, 2> kind;  ///< a bomb more, a longer reach, haste
  TICKBOX_FIELDS(Gift, kind)
};

struct Broken {
  Int<0, 1'023> x;  ///< the cell of the brick
  Int<0, 1'023> y;
  TICKBOX_FIELDS(Broken, x, y)
};

struct Burnt {
  Player who;
  Player by;
  TICKBOX_FIELDS(Burnt, who, by)
};

struct Score {
  Int<0, INT32_MAX> wins;
  Int<0, INT32_MAX> kills;
  TICKBOX_FIELDS(Score, wins, kills)
};

/// A round that is on, or the result of the last one.
struct Round {
  Int<0, INT32_MAX> began_at;     ///< tick
  Int<0, INT32_MAX> next_at = 1;  ///< tick in which the next one begins; 0 while one is on
  Int<0, 4'096> fighters;         ///< the number of players who have played in it
  Player winner;  ///< of the last one; nobody if none or several were left, or only one played
  TICKBOX_FIELDS(Round, began_at, next_at, fighters, winner)
};

/// What is published of a round.
struct RoundOver {
  Player winner;  ///< nobody if none or several were left, or only one played
  Int<0, 4'096> fighters;
  TICKBOX_FIELDS(RoundOver, winner, fighters)
};

/// What only the server knows.
struct Hidden {
  Int<0, 4> bricks;  ///< that burn until the next gift: the last of them hides it
  Int<0, 2> gift;    ///< its kind
  TICKBOX_FIELDS(Hidden, bricks, gift)
};

constexpr Vec2 kManSize{kUnit * 3 / 4, kUnit * 3 / 4};
constexpr Vec2 kCellSize{kUnit, kUnit};
constexpr Vec2 kSmallSize{kUnit / 2, kUnit / 2};

constexpr std::uint16_t kSolids = 1;  // as the walls of the map
constexpr std::uint16_t kMen = 2;
constexpr std::uint16_t kBombs = 4;
constexpr std::uint16_t kFlames = 8;
constexpr std::uint16_t kGifts = 16;

constexpr std::int32_t kWalkSpeed = 4;  // units/s
constexpr std::int32_t kFuseMs = 2'000;
constexpr std::int32_t kFlameMs = 500;
constexpr std::int32_t kPauseMs = 3'000;    // between two rounds
constexpr std::int32_t kRoundMs = 120'000;  // at most

struct Bomber {
  static constexpr std::string_view name = "bomber";
  static constexpr std::uint32_t version = 1;
  static constexpr bool moves = true;
  static constexpr std::array<std::string_view, 1> bot_styles = {"hunt"};
  static constexpr std::array keys = {
      Key{"d", Pad{.walk = 1}}, Key{"s", Pad{.walk = 2}},          Key{"a", Pad{.walk = 3}},
      Key{"w", Pad{.walk = 4}}, Key{"space", Pad{.bomb = {true}}},
  };
  using Input = Pad;
  using Avatar = Man;
  using Kinds = List<Man, Bomb, Flame, Brick, Gift>;
  using Events = List<Broken, Burnt>;
  using Results = List<RoundOver>;
  using Seat = Score;
  using Room = Round;
  using Secret = Hidden;
  using Step = tickbox::Step<Bomber>;
  using Server = tickbox::Server<Bomber>;
  using BotView = tickbox::BotView<Bomber>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 8;
  }

  static Body body(const Man&) { return {.size = kManSize, .layers = kMen}; }

  static Body body(const Bomb&) { return {.motion = Motion::Fixed, .layers = kBombs}; }

  static Body body(const Brick&) { return {.motion = Motion::Fixed, .layers = kSolids}; }

  /// A fixed flame would not meet bombs, which are fixed.
  static Body body(const Flame&) {
    return {.size = kSmallSize,
            .motion = Motion::Kinematic,
            .layers = kFlames,
            .collides_with = kMen | kBombs | kGifts,
            .sensor = true};
  }

  static Body body(const Gift&) {
    return {.size = kSmallSize,
            .motion = Motion::Fixed,
            .layers = kGifts,
            .collides_with = kMen | kFlames,
            .sensor = true};
  }

  static constexpr Look look(const Bomb&) {
    return {.glyph = 'o', .colour = Colour::Black, .shape = Shape::Disc};
  }

  static constexpr Look look(const Flame&) {
    return {.glyph = '*', .colour = Colour::Red, .shape = Shape::Flame};
  }

  static constexpr Look look(const Brick&) { return {.glyph = '#', .colour = Colour::Red}; }

  static constexpr Look look(const Gift&) {
    return {.glyph = '+', .colour = Colour::Cyan, .shape = Shape::Diamond};
  }

  static Caption label(const Round& round) {
    if (round.next_at == 0) return {"{} men began this round", round.fighters};
    if (round.winner == Player{}) return {"The next round begins in a moment"};
    return {"{} won the round", round.winner};
  }

  static Caption text(const Burnt& burnt) {
    if (burnt.who == burnt.by) return {"{} blew up", burnt.who};
    return {"{} burnt {}", burnt.by, burnt.who};
  }

  /// A little further than flames reach.
  static Vec2 sight(const Man&) { return {8 * kUnit, 8 * kUnit}; }

  static void map(MapBuilder& map, const MapOptions& options) { build_field(map, options.seats); }

  static Pad significant(Pad pad, const Man& man) {
    if (man.bombs == 0) pad.bomb = {};
    return pad;
  }

  static Cell cell_of(Vec2 man) {
    return cell_at({man.x + kManSize.x / 2, man.y + kManSize.y / 2});
  }

  /// Walks along one axis, and on the other to the middle of its cell. So the man finds a way
  /// around pillars.
  static void act(Entity<Man> me, const Pad& pad, Step& step) {
    const Cell way = kWays[pad.walk.index()];
    const Vec2 middle = middle_of(cell_of(me.min), kManSize);
    const std::int32_t speed = step.speed(kWalkSpeed + me->haste);
    me.velocity = {way.x != 0 ? way.x * speed : std::clamp(middle.x - me.min.x, -speed, speed),
                   way.y != 0 ? way.y * speed : std::clamp(middle.y - me.min.y, -speed, speed)};
    if (pad.bomb && me->bombs > 0) lay_bomb(me, step);
  }

  static void lay_bomb(Entity<Man> me, Step& step) {
    const Cell cell = cell_of(me.min);
    if (step.first_in<Bomb>(middle_of(cell, kSmallSize), kSmallSize)) return;
    --me->bombs;
    step.spawn(Bomb{.layer = me.ref,
                    .reach = me->reach,
                    .fuse = step.ticks(kFuseMs) + step.shared_random(step.ticks(kFuseMs / 4))},
               middle_of(cell, kCellSize), {}, Parent::IgnoredUntilApart);
  }

  static void act(Entity<Bomb> me, Step& step) {
    if (--me->fuse > 0) return;
    const Cell cell = cell_at(me.min);
    burn(cell, step);
    for (const Cell way : kWays | std::views::drop(1)) {
      std::int32_t steps = 1;
      while (steps <= me->reach && burn(step_from(cell, way, steps), step)) {
        ++steps;
      }
    }
    if (const auto layer = step.find<Man>(me->layer)) ++layer->state.bombs;
    step.remove(me.ref);
  }

  /// Returns whether the flames go on: not into a pillar, and not beyond a brick.
  static bool burn(Cell cell, Step& step) {
    const Vec2 at = middle_of(cell, kSmallSize);
    if (step.overlaps_wall(at, kSmallSize)) return false;
    const auto brick = step.first_in<Brick>(at, kSmallSize);
    if (!brick) {
      step.spawn(Flame{.left = step.ticks(kFlameMs)}, at);
      return true;
    }
    step.emit(brick->ref, Broken{.x = cell.x, .y = cell.y});
    step.remove(brick->ref);
    return false;
  }

  static void act(Entity<Flame> me, Step& step) {
    if (--me->left == 0) step.remove(me.ref);
  }

  static void contact(Entity<Flame>, Entity<Bomb> it, Contact, Step&) { it->fuse = 1; }

  static void contact(Entity<Flame>, Entity<Gift> it, Contact, Step& step) { step.remove(it.ref); }

  static void contact(Entity<Flame> me, Entity<Man> it, Contact, Step& step) {
    step.emit(it.ref, Burnt{.who = it.owner, .by = me.owner});
    step.remove(it.ref);
  }

  static void contact(Entity<Man> me, Entity<Gift> it, Contact, Step& step) {
    if (it->kind == 0) ++me->bombs;
    if (it->kind == 1) ++me->reach;
    if (it->kind == 2) ++me->haste;
    step.remove(it.ref);
  }

  /// Who joins plays at once, and again in each round. A client that has left this round watches
  /// until the next one. Otherwise a burnt player could return with another token.
  static void join(Server& server, Player who) {
    const Round& round = server.room();
    if (round.next_at == 0 && server.has_left_at(who).value_or(0) > round.began_at) {
      if (const auto man = server.first<Man>()) server.focus(who, man->ref);
      return;
    }
    const Cell cell = cell_at(server.objects("spawn")[who.seat].min);
    server.focus(who, server.spawn_avatar(who, Man{}, middle_of(cell, kManSize)));
    ++server.room().fighters;
  }

  static void decide(Server& server) {
    for (const Broken& broken : server.events<Broken>()) {
      reveal(server, {.x = broken.x, .y = broken.y});
    }
    for (const Burnt& burnt : server.events<Burnt>()) {
      if (server.has(burnt.by) && burnt.by != burnt.who) ++server.seat(burnt.by).kills;
      if (const auto by = server.avatar(burnt.by)) server.focus(burnt.who, by->ref);
    }
    const Round& round = server.room();
    if (round.next_at > 0) {
      if (server.tick() >= round.next_at && server.players() > 0) begin_round(server);
      return;
    }
    const std::int32_t men = server.count<Man>();
    const bool is_too_long = server.tick() - round.began_at >= server.ticks(kRoundMs);
    if (men > (round.fighters > 1 ? 1 : 0) && !is_too_long) return;
    end_round(server, men == 1 && round.fighters > 1 ? server.first<Man>()->owner : Player{});
  }

  static void end_round(Server& server, Player winner) {
    server.publish_result(RoundOver{.winner = winner, .fighters = server.room().fighters});
    server.room().winner = winner;
    server.room().next_at = server.tick() + server.ticks(kPauseMs);
    if (winner != Player{}) ++server.seat(winner).wins;
  }

  /// Bricks grow where nothing stands.
  static void begin_round(Server& server) {
    server.remove_all<Man, Bomb, Flame, Gift>();
    for (const MapObject& brick : server.objects("brick")) {
      if (server.is_free(brick.min, brick.size)) server.spawn(Brick{}, brick.min);
    }
    server.room() = {.began_at = server.tick(), .next_at = 0, .winner = server.room().winner};
    server.for_each_player([&](Player who) { join(server, who); });
    hide(server);
  }

  static void hide(Server& server) {
    server.secret() = {.bricks = 1 + server.random(4), .gift = server.random(3)};
  }

  static void reveal(Server& server, Cell cell) {
    if (--server.secret().bricks > 0) return;
    server.spawn(Gift{.kind = server.secret().gift}, middle_of(cell, kSmallSize));
    hide(server);
  }

  /// Runs from bombs, to other men and gifts, else to bricks, and lays bombs there.
  static Pad bot(const BotView& view, Empty&, std::string_view) {
    const auto me = view.own();
    if (!me) return {};
    const Cell cell = cell_of(me->min);
    Lookout lookout{cell, view.objects("field")[0].size.x / kUnit};
    view.for_each<Brick>([&](ConstEntity<Brick> it) { lookout.close(cell_at(it.min)); });
    view.for_each<Bomb>([&](ConstEntity<Bomb> it) { lookout.close(cell_at(it.min)); });
    view.for_each<Bomb>(
        [&](ConstEntity<Bomb> it) { lookout.threaten(cell_at(it.min), it->reach); });
    view.for_each<Flame>([&](ConstEntity<Flame> it) { lookout.burn(cell_at(it.min)); });
    if (lookout.is_threatened(cell)) return {.walk = lookout.way_to_safety().value_or(0)};
    view.for_each<Gift>([&](ConstEntity<Gift> it) { lookout.want(cell_at(it.min)); });
    view.for_each<Man>([&](ConstEntity<Man> it) {
      if (it.owner != view.me()) lookout.aim_at(cell_of(it.min), (*me)->reach);
    });
    if (!lookout.way_to_wanted()) {
      view.for_each<Brick>([&](ConstEntity<Brick> it) { lookout.aim_at(cell_at(it.min), 1); });
    }
    return {.walk = lookout.way_to_wanted().value_or(0), .bomb = {wants_bomb(view, lookout, cell)}};
  }

  /// Returns whether to lay a bomb: hardly ever where the bot could not run away.
  static bool wants_bomb(const BotView& view, Lookout lookout, Cell cell) {
    if (!lookout.is_wanted(cell) || view.random(view.ticks(250)) != 0) return false;
    lookout.threaten(cell, view.own()->state.reach);
    return lookout.way_to_safety() || view.random(20) == 0;
  }
};

static_assert(GameRules<Bomber>);

}  // namespace

const GameTable& bomber() {
  return kGameTable<Bomber>;
}

}  // namespace tickbox::games
