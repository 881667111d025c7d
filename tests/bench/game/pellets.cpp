#include "tests/bench/game/pellets.h"

#include "tickbox/adapter.h"

#include <cstdint>
#include <string_view>

namespace tickbox::bench {
namespace {

constexpr std::int32_t kColumns = 80;
constexpr std::int32_t kLines = 50;
constexpr std::int32_t kPelletSize = kUnit / 4;

/// The field on which walkers begin: its edge is as far from the border as they see.
constexpr Vec2 kMiddle{24, 17};
constexpr Vec2 kMiddleSize{32, 16};

constexpr std::uint16_t kWalkerLayer = 1;
constexpr std::uint16_t kPelletLayer = 2;

struct Stick {
  Int<-1, 1> x;
  Int<-1, 1> y;
  TICKBOX_FIELDS(Stick, x, y)
};

struct Walker {
  Int<0, 1'000'000> eaten;
  TICKBOX_FIELDS(Walker, eaten)
};

struct Pellet {
  Int<1, 9> worth = 1;
  TICKBOX_FIELDS(Pellet, worth)
};

struct Eaten {
  Int<-1'000, 1'000> x;
  TICKBOX_FIELDS(Eaten, x)
};

template <Pellets kPellets>
struct Field {
  static constexpr std::string_view name = "pellets";
  static constexpr std::uint32_t version = 1;
  using Input = Stick;
  using Avatar = Walker;
  using Kinds = List<Walker, Pellet>;
  using Events = List<Eaten>;
  using Step = tickbox::Step<Field>;
  using Server = tickbox::Server<Field>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 10;
  }

  static Body body(const Walker&) { return {.layers = kWalkerLayer}; }

  static Body body(const Pellet&) {
    const std::uint16_t touched_by = kPellets == Pellets::ToEat ? kWalkerLayer : kPelletLayer;
    return {.size = {kPelletSize, kPelletSize},
            .motion = Motion::Fixed,
            .layers = kPelletLayer,
            .collides_with = touched_by,
            .sensor = true};
  }

  static void map(MapBuilder& map, const MapOptions&) {
    map.border({0, 0}, {kColumns * kUnit, kLines * kUnit}, Border::Solid);
  }

  static void open(Server& server) {
    if (kPellets == Pellets::None) return;
    const std::int32_t left = kPellets == Pellets::OutOfSight ? 2 * kColumns : 0;
    for (std::int32_t i = 0; i < kColumns * kLines; ++i) {
      server.spawn(Pellet{}, {(left + i % kColumns) * kUnit, i / kColumns * kUnit});
    }
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Walker{},
                        {(kMiddle.x + server.random(kMiddleSize.x)) * kUnit,
                         (kMiddle.y + server.random(kMiddleSize.y)) * kUnit});
  }

  static void act(Entity<Walker> me, const Stick& stick, Step& step) {
    me.velocity = {stick.x * step.speed(5), stick.y * step.speed(5)};
  }

  static void contact(Entity<Walker> me, Entity<Pellet> it, Contact, Step& step) {
    me->eaten += it->worth;
    step.emit(me.ref, Eaten{me.min.x / kUnit});
    step.remove(it.ref);
  }

  static void decide(Server& server) {
    for ([[maybe_unused]] const Eaten& eaten : server.template events<Eaten>()) {
      server.spawn(Pellet{}, {server.random(kColumns) * kUnit, server.random(kLines) * kUnit});
    }
  }
};

GameTable table_of(Pellets pellets) {
  switch (pellets) {
    case Pellets::None:
      return kGameTable<Field<Pellets::None>>;
    case Pellets::OutOfSight:
      return kGameTable<Field<Pellets::OutOfSight>>;
    case Pellets::AtRest:
      return kGameTable<Field<Pellets::AtRest>>;
    case Pellets::ToEat:
      break;
  }
  return kGameTable<Field<Pellets::ToEat>>;
}

}  // namespace

GameTable pellet_game(Pellets pellets, Vec2 (*sight)(const void* avatar)) {
  GameTable game = table_of(pellets);
  game.sight = sight;
  return game;
}

}  // namespace tickbox::bench
