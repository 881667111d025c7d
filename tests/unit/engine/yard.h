#pragma once
// A tiny game whose ticks a test can write out by hand. Who joins with user bytes gets a walker;
// who joins without gets nothing. A leave decides for every walker, also for the one that leaves.

#include "engine/stepper.h"
#include "tickbox/adapter.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace tickbox::tests {

struct Stick {
  Int<-1, 1> walk;
  Press kick;
  TICKBOX_FIELDS(Stick, walk, kick)
};

struct Walked {
  Int<0, 255> kicks;
  Int<0, 255> farewells;  ///< leaves of others that it has seen
  Ref friend_of;
  TICKBOX_FIELDS(Walked, kicks, farewells, friend_of)
};

struct Farewell {
  Int<1, 9> times = 1;
  TICKBOX_FIELDS(Farewell, times)
};

struct Purse {
  Int<0, 255> coins;
  bool is_rich = false;
  TICKBOX_FIELDS(Purse, coins, is_rich)
};

struct Yard {
  static constexpr std::string_view name = "yard";
  static constexpr std::uint32_t version = 1;
  using Input = Stick;
  using Avatar = Walked;
  using Kinds = List<Walked>;
  using Outcomes = List<Farewell>;
  using Seat = Purse;
  using Room = Purse;
  using Step = tickbox::Step<Yard>;
  using Server = tickbox::Server<Yard>;

  static constexpr std::int32_t top_speed(const Walked&) { return 5; }

  static Body body(const Walked&) { return {.motion = Motion::Kinematic, .collides_with = 0}; }

  static void map(MapBuilder&, const MapOptions&) {}

  static void join(Server& server, Player who) {
    if (server.token_user_data(who).empty()) return;
    server.spawn_avatar(who, Walked{}, {who.seat * kUnit, 0});
  }

  static void leave(Server& server, Player) {
    server.for_each<Walked>(
        [&](ConstEntity<Walked> walked) { server.decide(walked.ref, Farewell{}); });
  }

  static void act(Entity<Walked> me, const Stick& stick, Step& step) {
    me.velocity.x = step.speed(5) * stick.walk;
    if (stick.kick && me->kicks < 255) ++me->kicks;
  }

  static std::optional<Ray> ray(ConstEntity<Walked> me, const Stick& stick, const Moment&) {
    if (!stick.kick) return std::nullopt;
    return Ray{.from = me.min, .way = {kUnit, 0}};
  }

  static void apply(Entity<Walked> me, const Farewell& farewell, Step&) {
    me->farewells = me->farewells + farewell.times;
  }
};

[[nodiscard]] inline const GameTable& yard() {
  return kGameTable<Yard>;
}

}  // namespace tickbox::tests
