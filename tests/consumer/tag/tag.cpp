// Tag: one runner is "it", and makes another one "it" by touch. A player who joins while nobody is
// "it" becomes "it".

#include <tickbox/adapter.h>

using namespace tickbox;

namespace {

struct Pad {
  Int<-1, 1> x{};
  Int<-1, 1> y{};
  TICKBOX_FIELDS(Pad, x, y)
};

struct Runner {
  bool it = false;
  Int<0, 255> safe;  // ticks until it can be passed on again
  TICKBOX_FIELDS(Runner, it, safe)
};

struct Tag {
  static constexpr std::string_view name = "tag";
  static constexpr std::uint32_t version = 1;
  static constexpr std::array keys = {Key{"a", Pad{.x = -1}}, Key{"d", Pad{.x = 1}},
                                      Key{"w", Pad{.y = -1}}, Key{"s", Pad{.y = 1}}};
  static constexpr std::array<std::string_view, 1> bot_styles = {"tag"};
  using Input = Pad;
  using Avatar = Runner;
  using Kinds = List<Runner>;

  static Body body(const Runner&) { return {}; }

  static constexpr std::int32_t top_speed(const Runner&) { return 10; }

  static void map(MapBuilder& map, const MapOptions& options) {
    const std::int32_t side = (16 + static_cast<std::int32_t>(options.seats) / 4) * kUnit;
    map.border({}, {side, side}, Border::Solid);
    map.object("field", {}, {side, side});
  }

  static void join(Server<Tag>& server, Player who) {
    const std::int32_t side = server.objects("field")[0].size.x - kUnit;
    Vec2 place;
    do
      place = {server.random(side), server.random(side)};
    while (!server.is_free(place, {kUnit, kUnit}));
    bool found = false;
    server.for_each<Runner>([&](ConstEntity<Runner> other) { found = found || other->it; });
    server.spawn_avatar(who, Runner{.it = !found, .safe = 0}, place);
  }

  static void act(Entity<Runner> me, const Pad& pad, Step<Tag>& step) {
    const std::int32_t speed = step.speed(me->it ? 7 : 6);
    me.velocity = {pad.x * speed, pad.y * speed};
    if (me->safe > 0) --me->safe;
  }

  static void contact(Entity<Runner> me, Entity<Runner> other, Contact, Step<Tag>& step) {
    if (!me->it || me->safe > 0) return;
    me->it = false;
    other->it = true;
    other->safe = step.ticks(1'000);
  }

  // A runner that is "it" runs to another one. The others run away.
  static Pad bot(const BotView<Tag>& view, Empty&, std::string_view) {
    Pad pad{.x = view.random(3) - 1, .y = view.random(3) - 1};
    const auto me = view.own();
    view.for_each<Runner>([&](ConstEntity<Runner> other) {
      if (!me || other->it == (*me)->it) return;
      const int way = other->it ? -1 : 1;
      pad = {.x = other.min.x > me->min.x ? way : -way, .y = other.min.y > me->min.y ? way : -way};
    });
    return pad;
  }
};

}  // namespace

TICKBOX_GAME(Tag)
