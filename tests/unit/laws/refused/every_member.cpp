// Every member of the interface, each once and on a line of its own, of two kinds. It compiles.
// refused_test.sh also compiles it with each member in turn misspelt, and with another signature.
#include "tickbox/adapter.h"

#include <array>
#include <optional>
#include <string_view>

using namespace tickbox;

struct Pad {
  Press jump;
  TICKBOX_FIELDS(Pad, jump)
};

struct Flag {
  TICKBOX_FIELDS(Flag)
};

struct Runner {
  Int<0, 9> steps;
  TICKBOX_FIELDS(Runner, steps)
};

struct Tired {
  TICKBOX_FIELDS(Tired)
};

struct Race;
using RaceStep = Step<Race>;
using RaceServer = Server<Race>;

// clang-format off
struct Race {
  static constexpr std::string_view name = "race";
  static constexpr std::uint32_t version = 1;
  static constexpr std::int32_t gravity = 20;
  static constexpr bool moves = true;
  static constexpr std::array<std::string_view, 1> maps = {"cave"};
  static constexpr std::array<std::string_view, 1> bot_styles = {"chase"};
  static constexpr std::array keys = {Key{"w", Pad{.jump = {true}}}};
  using Input = Pad;
  using Avatar = Runner;
  using Kinds = List<Flag, Runner>;
  using Outcomes = List<Tired>;
  using Events = List<Tired>;
  using Commands = List<Tired>;
  using Results = List<Tired>;
  using Seat = Tired;
  using Room = Tired;
  using Secret = Tired;
  using BotState = Tired;
  static Body body(const Flag&) { return {}; }
  static Body body(const Runner&) { return {}; }
  static constexpr std::int32_t top_speed(const Flag&) { return 0; }
  static constexpr std::int32_t top_speed(const Runner&) { return 1; }
  static void map(MapBuilder&, const MapOptions&) {}
  static void join(RaceServer&, Player) {}
  static void act(Entity<Runner>, const Pad&, RaceStep&) {}
  static std::optional<Ray> ray(ConstEntity<Runner>, const Pad&, const Moment&) { return {}; }
  static void struck(Entity<Runner>, Player, RaceStep&) {}
  static void contact(Entity<Runner>, Entity<Flag>, Contact, RaceStep&) {}
  static void wall(Entity<Runner>, Contact, RaceStep&) {}
  static void after(Entity<Runner>, RaceStep&) {}
  static void apply(Entity<Runner>, const Tired&, RaceStep&) {}
  static void crushed(Entity<Runner>, RaceStep&) {}
  static void left(Entity<Runner>, RaceStep&) {}
  static void open(RaceServer&) {}
  static void leave(RaceServer&, Player) {}
  static void decide(RaceServer&) {}
  static void command(RaceServer&, Player, const Tired&) {}
  static Pad significant(Pad pad, const Runner&) { return pad; }
  static Vec2 sight(const Runner&) { return {}; }
  static constexpr Predict predict(const Runner&) { return Predict::Near; }
  static bool possible(const Runner&) { return true; }
  static Pad bot(const BotView<Race>&, Tired&, std::string_view) { return {}; }
  static constexpr Look look(const Runner&) { return {}; }
  static Caption label(const Tired&) { return {}; }
  static Caption text(const Tired&) { return {}; }
};

// clang-format on

const GameTable& game = kGameTable<Race>;
