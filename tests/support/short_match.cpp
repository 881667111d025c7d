#include "tests/support/short_match.h"

#include "tickbox/adapter.h"
#include "tickbox/game.h"

#include <string_view>

namespace tickbox::tests {
namespace {

struct Stick {
  Int<-1, 1> walk;
  Press gather;
  TICKBOX_FIELDS(Stick, walk, gather)
};

struct Pawn {
  Int<0, 15> gathered;
  TICKBOX_FIELDS(Pawn, gathered)
};

struct Gem {
  TICKBOX_FIELDS(Gem)
};

struct Score {
  Int<0, 1'000> gems;
  TICKBOX_FIELDS(Score, gems)
};

struct Clock {
  Int<0, 2'000'000'000> ends_at;
  Int<0, 4'095> departures;  ///< of players who have left while the match went on
  TICKBOX_FIELDS(Clock, ends_at, departures)
};

struct Lot {
  Int<0, 99> number;  ///< drawn when a match opens, and again when a player joins
  TICKBOX_FIELDS(Lot, number)
};

struct Gathered {
  TICKBOX_FIELDS(Gathered)
};

struct ShortMatch {
  static constexpr std::string_view name = "short_match";
  static constexpr std::uint32_t version = 1;
  using Input = Stick;
  using Seat = Score;
  using Room = Clock;
  using Secret = Lot;
  using Avatar = Pawn;
  using Kinds = List<Pawn, Gem>;
  using Events = List<Gathered>;
  using Step = tickbox::Step<ShortMatch>;
  using Server = tickbox::Server<ShortMatch>;

  static Body body(const Pawn&) { return {}; }

  static Body body(const Gem&) { return {.motion = Motion::Fixed, .sensor = true}; }

  static constexpr std::int32_t top_speed(const Pawn&) { return 8; }

  static constexpr std::int32_t top_speed(const Gem&) { return 0; }

  static void map(MapBuilder& map, const MapOptions& options) {
    map.border({0, 0}, {32 * kUnit, 8 * kUnit}, Border::Solid);
    if (options.seats > kShortMatchSeats) map.object("long", {});
  }

  static void act(Entity<Pawn> me, const Stick& stick, Step& step) {
    me.velocity.x = stick.walk * step.speed(8);
  }

  static void contact(Entity<Pawn> me, Entity<Gem> it, Contact, Step& step) {
    step.emit(me.ref, Gathered{});
    step.remove(it.ref);
    me->gathered = (me->gathered + 1) % 16;
  }

  static void open(Server& server) {
    server.secret().number = server.random(100);
    server.room().ends_at = static_cast<std::int64_t>(server.tick()) +
                            server.ticks(server.objects("long").size() > 0 ? 10'000 : 1'000);
    for (std::int32_t i = 0; i < std::int32_t{kShortMatchGems}; ++i) {
      server.spawn(Gem{}, {(3 * i + 2) * kUnit, 4 * kUnit});
    }
  }

  static void join(Server& server, Player who) {
    server.secret().number = server.random(100);
    server.seat(who).gems = server.players();
    server.spawn_avatar(who, Pawn{}, {server.random(30) * kUnit, 4 * kUnit});
  }

  static void leave(Server& server, Player) {
    server.room().departures = (server.room().departures + 1) % 4'096;
  }

  static void decide(Server& server) {
    if (std::int64_t{server.tick()} >= server.room().ends_at) server.close_room();
  }
};

static_assert(GameRules<ShortMatch>);

}  // namespace

const GameTable& short_match() {
  return kGameTable<ShortMatch>;
}

}  // namespace tickbox::tests
