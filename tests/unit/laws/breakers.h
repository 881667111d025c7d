#pragma once
// Games that break one law each. Without a fault the game is a small one that obeys all.

#include "tickbox/adapter.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tickbox::tests {

enum class Fault : std::uint8_t {
  None,
  StaticCounter,     ///< a rule counts its calls in a static variable
  CachedArray,       ///< a rule remembers places in a static array
  AddressOrder,      ///< a rule compares the addresses of two states
  KeptReference,     ///< a rule keeps a reference from the last tick
  PassedOn,          ///< a rule leaves a place in a static variable for the next entity's rule
  LyingSignificant,  ///< significant() clears what has an effect
  WritingDecide,     ///< decide() writes an entity, not an outcome
  CountingBot,       ///< bot() counts its calls in a static variable
  WritingBot,        ///< bot() writes an entity that it sees
};

struct TagPad {
  Int<-1, 1> walk;
  Press jump;
  TICKBOX_FIELDS(TagPad, walk, jump)
};

struct Runner {
  Int<0, 1'000> steps;
  Int<0, 1'000> touched;
  TICKBOX_FIELDS(Runner, steps, touched)
};

template <Fault kFault>
struct Tag {
  static constexpr std::string_view name = "tag";
  static constexpr std::uint32_t version = 1;
  static constexpr std::int32_t gravity = 20;
  static constexpr std::array<std::string_view, 1> bot_styles = {"tag"};
  using Input = TagPad;
  using Avatar = Runner;
  using Kinds = List<Runner>;
  using Step = tickbox::Step<Tag>;
  using Server = tickbox::Server<Tag>;
  using BotState = Runner;  // counts its ticks

  static constexpr std::int32_t top_speed(const Runner&) { return 15; }

  static Body body(const Runner&) { return {}; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.solid({0, 6 * kUnit}, {12 * kUnit, kUnit});
    map.solid({-kUnit, 0}, {kUnit, 7 * kUnit});
    map.solid({12 * kUnit, 0}, {kUnit, 7 * kUnit});
  }

  static void join(Server& server, Player who) {
    server.spawn_avatar(who, Runner{}, {(1 + server.random(10)) * kUnit, kUnit});
  }

  static TagPad significant(TagPad pad, const Runner&) {
    if (kFault == Fault::LyingSignificant) pad.jump = {};
    return pad;
  }

  static void act(Entity<Runner> me, const TagPad& pad, Step& step) {
    me.velocity.x = pad.walk * step.speed(6);
    if (pad.jump) me.velocity.y = -step.speed(8);
    if (pad.walk != 0) ++me->steps;
    if constexpr (kFault == Fault::StaticCounter) {
      static int calls = 0;
      me->touched = ++calls % 900;
    }
    if constexpr (kFault == Fault::CachedArray) {
      static std::array<std::int32_t, 64> places{};
      std::int32_t& place = places[me.owner.seat % places.size()];
      if (place > me.min.x) ++me->touched;
      place = me.min.x;
    }
    if constexpr (kFault == Fault::PassedOn) {
      static std::int32_t tick = 0;
      static Ref before;
      static std::int32_t place = 0;
      const bool is_next = tick == step.tick() && before.id < me.ref.id;
      if (is_next && place > me.min.x) ++me->touched;
      tick = step.tick();
      before = me.ref;
      place = me.min.x;
    }
    if constexpr (kFault == Fault::KeptReference) {
      static const Runner* last = nullptr;
      if (last != nullptr) me->touched = last->steps;
      last = &me.state;
    }
  }

  static void contact(Entity<Runner> me, Entity<Runner> it, Contact, Step&) {
    ++me->touched;
    if constexpr (kFault == Fault::AddressOrder) {
      if (&me.state < &it.state) me->touched += 2;
    }
  }

  template <class View>
  static TagPad bot(const View& view, Runner& memory, std::string_view) {
    TagPad pad{.walk = ++memory.steps % 40 < 20 ? 1 : -1};
    view.template for_each<Runner>([&](ConstEntity<Runner> it) {
      if (it.owner != view.me() && it->steps % 10 == 0) pad.jump = {true};
      if constexpr (kFault == Fault::WritingBot) const_cast<Runner&>(it.state).touched = 7;
    });
    if constexpr (kFault == Fault::CountingBot) {
      static int calls = 0;
      if (++calls % 4 == 0) pad.walk = 0;
    }
    return pad;
  }

  static void decide(Server& server) {
    if constexpr (kFault == Fault::WritingDecide) {
      server.template for_each<Runner>([](ConstEntity<Runner> it) {
        if (it->steps == 9) const_cast<Runner&>(it.state).steps = 10;
      });
    }
  }
};

template <Fault kFault>
const GameTable& tag() {
  static_assert(GameRules<Tag<kFault>>);
  return kGameTable<Tag<kFault>>;
}

}  // namespace tickbox::tests
