#pragma once
// The adapter that makes the table of a game from its struct, at compile time. Include it in the
// source of a game, and nowhere else. kGameTable<Game> is the table. A program of one game finds it
// by the line TICKBOX_GAME(Game) at the end of that source.

#include "tickbox/game.h"
#include "tickbox/game_table.h"
#include "tickbox/hooks.h"
#include "tickbox/play_table.h"
#include "tickbox/program.h"
#include "tickbox/type_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tickbox {

namespace detail {

// The compiler prints the kind with the sentence.
template <class Game, class Kind>
constexpr bool check_kind() {
  static_assert(HasBody<Game, Kind>,
                "body is missing or has another signature for a kind: Body body(const Kind&)");
  static_assert(HasTopSpeed<Game, Kind>,
                "top_speed is missing, not constexpr, or has another signature for a kind: "
                "constexpr std::int32_t top_speed(const Kind&)");
  return HasBody<Game, Kind> && HasTopSpeed<Game, Kind>;
}

template <class Game, class... Kinds>
constexpr bool check_kinds(List<Kinds...>) {
  return (check_kind<Game, Kinds>() && ...);
}

/// Returns whether a game has what it must define. If not, the compiler prints what is missing.
template <class Game>
constexpr bool check_rules() {
  static_assert(HasName<Game>,
                "name is missing or has another type: static constexpr std::string_view name");
  static_assert(HasVersion<Game>,
                "version is missing or has another type: static constexpr std::uint32_t version");
  static_assert(HasInput<Game>,
                "Input is missing or has no TICKBOX_FIELDS: using Input = …, what a client sends");
  static_assert(HasKinds<Game>, "Kinds is missing or is no list: using Kinds = List<…>");
  static_assert(!HasKinds<Game> || HasAvatar<Game>,
                "Avatar is missing or is none of Kinds: using Avatar = …, the kind of players");
  static_assert(HasMap<Game>,
                "map is missing or has another signature: map(MapBuilder&, const MapOptions&)");
  static_assert(HasJoin<Game>,
                "join is missing or has another signature: join(Server<Game>&, Player)");
  static_assert(kHasLists<Game>,
                "Outcomes, Events, Commands and Results are lists of types: List<…>");
  static_assert(kHasStates<Game>, "Seat, Room, Secret and BotState are types with TICKBOX_FIELDS");
  if constexpr (HasKinds<Game>) {
    return check_kinds<Game>(typename Game::Kinds{}) && HasName<Game> && HasVersion<Game> &&
           HasInput<Game> && HasAvatar<Game> && HasMap<Game> && HasJoin<Game> && kHasLists<Game> &&
           kHasStates<Game>;
  }
  return false;
}

template <class Game, class KindList, class OutcomeList, class EventList>
struct Tables;

template <class Game, class... Kinds, class... Outcomes, class... Events>
struct Tables<Game, List<Kinds...>, List<Outcomes...>, List<Events...>> {
  static_assert(sizeof...(Kinds) >= 1 && sizeof...(Kinds) <= kKindsMax, "a game has 1 to 64 kinds");
  static_assert(sizeof...(Outcomes) <= 256 && sizeof...(Events) <= 256,
                "a game has at most 256 outcomes and 256 events");
  static_assert(!kHasNamed_act<Game> ||
                    ((ActsByInput<Game, Kinds> || ActsAlone<Game, Kinds>) || ...),
                "act has another signature: act(Entity<Kind>, const Input&, Step<Game>&) or "
                "act(Entity<Kind>, Step<Game>&)");
  static_assert(
      !kHasNamed_ray<Game> || (Casts<Game, Kinds> || ...),
      "ray has another signature: std::optional<Ray> ray(ConstEntity<Kind>, const Input&, "
      "const Moment&)");
  static_assert(!kHasNamed_struck<Game> || (IsStruck<Game, Kinds> || ...),
                "struck has another signature: struck(Entity<Kind>, Player, Step<Game>&)");
  static_assert(!kHasNamed_wall<Game> || (MeetsWalls<Game, Kinds> || ...),
                "wall has another signature: wall(Entity<Kind>, Contact, Step<Game>&)");
  static_assert(!kHasNamed_after<Game> || (ActsAfter<Game, Kinds> || ...),
                "after has another signature: after(Entity<Kind>, Step<Game>&)");
  static_assert(!kHasNamed_crushed<Game> || (IsCrushed<Game, Kinds> || ...),
                "crushed has another signature: crushed(Entity<Kind>, Step<Game>&)");
  static_assert(!kHasNamed_left<Game> || (Leaves<Game, Kinds> || ...),
                "left has another signature: left(Entity<Kind>, Step<Game>&)");
  static_assert(!kHasNamed_possible<Game> || (HasPossible<Game, Kinds> || ...),
                "possible has another signature: bool possible(const Kind&)");
  static_assert(!kHasNamed_predict<Game> || (HasPredict<Game, Kinds> || ...),
                "predict has another signature, or is not constexpr: "
                "constexpr Predict predict(const Kind&)");
  static_assert(!kHasNamed_look<Game> || (HasLook<Game, Kinds> || ...),
                "look has another signature: Look look(const Kind&)");
  static_assert(!kHasNamed_text<Game> || (HasText<Game, Events> || ...),
                "text has another signature: Caption text(const Event&)");
  static_assert(!kHasNamed_label<Game> || HasLabel<Game>,
                "label has another signature: Caption label(const Room&)");
  static_assert(!kHasNamed_sight<Game> || HasSight<Game>,
                "sight has another signature: Vec2 sight(const Avatar&)");
  static_assert(!kHasNamed_gravity<Game> || HasGravity<Game>,
                "gravity has another type: static constexpr std::int32_t gravity");
  static_assert(!kHasNamed_moves<Game> || HasMoves<Game>,
                "moves has another type: static constexpr bool moves");
  static_assert(!kHasNamed_significant<Game> || HasSignificant<Game>,
                "significant has another signature: Input significant(Input, const Avatar&)");
  static_assert(!kHasNamed_open<Game> || HasOpen<Game>,
                "open has another signature: open(Server<Game>&)");
  static_assert(!kHasNamed_leave<Game> || HasLeave<Game>,
                "leave has another signature: leave(Server<Game>&, Player)");
  static_assert(!kHasNamed_decide<Game> || HasDecide<Game>,
                "decide has another signature: decide(Server<Game>&)");

  // The callbacks as the table holds them. They are functions with names, so that a scan of the
  // object file or a profile shows which callback it is.

  template <class Kind>
  static void act_by_input(const Row& row, const void* input, const AnyStep& any) {
    Step<Game> step{any};
    Game::act(row.as<Kind>(), *static_cast<const typename Game::Input*>(input), step);
  }

  template <class Kind>
  static void act_alone(const Row& row, const void*, const AnyStep& any) {
    Step<Game> step{any};
    Game::act(row.as<Kind>(), step);
  }

  template <class Kind>
  static std::optional<Ray> ray(const Row& row, const void* input, const Moment& moment) {
    return Game::ray(row.as_const<Kind>(), *static_cast<const typename Game::Input*>(input),
                     moment);
  }

  template <class Kind>
  static void struck(const Row& row, Player shooter, const AnyStep& any) {
    Step<Game> step{any};
    Game::struck(row.as<Kind>(), shooter, step);
  }

  template <class Kind>
  static void wall(const Row& row, Contact contact, const AnyStep& any) {
    Step<Game> step{any};
    Game::wall(row.as<Kind>(), contact, step);
  }

  template <class Kind>
  static void after(const Row& row, const AnyStep& any) {
    Step<Game> step{any};
    Game::after(row.as<Kind>(), step);
  }

  template <class Kind>
  static void crushed(const Row& row, const AnyStep& any) {
    Step<Game> step{any};
    Game::crushed(row.as<Kind>(), step);
  }

  template <class Kind>
  static void left(const Row& row, const AnyStep& any) {
    Step<Game> step{any};
    Game::left(row.as<Kind>(), step);
  }

  template <class Kind>
  static bool possible(const void* state) {
    return Game::possible(*static_cast<const Kind*>(state));
  }

  template <class Kind>
  static Body body(const void* state) {
    return Game::body(*static_cast<const Kind*>(state));
  }

  template <class Kind>
  static Look look(const void* state) {
    if constexpr (HasLook<Game, Kind>) {
      return Game::look(*static_cast<const Kind*>(state));
    } else {
      return {.glyph = type_info<Kind>().name.front()};
    }
  }

  template <class Event>
  static Caption text(const void* event) {
    return Game::text(*static_cast<const Event*>(event));
  }

  template <class Event>
  static constexpr EventText text_of() {
    if constexpr (HasText<Game, Event>) return text<Event>;
    return nullptr;
  }

  template <class A, class B>
  static void contact(const Row& a, const Row& b, Contact contact, const AnyStep& any) {
    Step<Game> step{any};
    Game::contact(a.as<A>(), b.as<B>(), contact, step);
  }

  template <class Kind, class Outcome>
  static void apply(const Row& row, const void* outcome, const AnyStep& any) {
    Step<Game> step{any};
    Game::apply(row.as<Kind>(), *static_cast<const Outcome*>(outcome), step);
  }

  template <class Kind, class Outcome>
  static constexpr KindTable::Apply apply_of() {
    if constexpr (Applies<Game, Kind, Outcome>) return apply<Kind, Outcome>;
    return nullptr;
  }

  template <class A, class B>
  static constexpr KindTable::Meet contact_of() {
    if constexpr (Meets<Game, A, B>) return contact<A, B>;
    return nullptr;
  }

  template <class A>
  static constexpr bool meets_any() {
    return (Meets<Game, A, Kinds> || ...);
  }

  static_assert(!kHasNamed_contact<Game> || (meets_any<Kinds>() || ...),
                "contact has another signature: contact(Entity<A>, Entity<B>, Contact, "
                "Step<Game>&)");

  template <class Outcome>
  static constexpr bool is_applied() {
    return (Applies<Game, Kinds, Outcome> || ...);
  }

  static_assert((is_applied<Outcomes>() && ...),
                "apply is missing or has another signature for an outcome of the game's Outcomes: "
                "apply(Entity<Kind>, const Outcome&, Step<Game>&)");
  static_assert(!kHasNamed_apply<Game> || sizeof...(Outcomes) > 0,
                "the game has apply(), but no `using Outcomes = List<…>`");

  template <class Kind>
  static constexpr std::array<KindTable::Apply, sizeof...(Outcomes)> kApply{
      apply_of<Kind, Outcomes>()...};
  template <class Kind>
  static constexpr std::array<KindTable::Meet, sizeof...(Kinds)> kContact{
      contact_of<Kind, Kinds>()...};

  template <class Kind>
  static constexpr KindTable kind_table() {
    KindTable table{.type = type_info<Kind>()};
    table.top_speed = Game::top_speed(Kind{});
    table.body = body<Kind>;
    if constexpr (ActsByInput<Game, Kind>) {
      table.act = act_by_input<Kind>;
    } else if constexpr (ActsAlone<Game, Kind>) {
      table.act = act_alone<Kind>;
    }
    if constexpr (Casts<Game, Kind>) table.ray = ray<Kind>;
    if constexpr (IsStruck<Game, Kind>) table.struck = struck<Kind>;
    if constexpr (MeetsWalls<Game, Kind>) table.wall = wall<Kind>;
    if constexpr (ActsAfter<Game, Kind>) table.after = after<Kind>;
    if constexpr (IsCrushed<Game, Kind>) table.crushed = crushed<Kind>;
    if constexpr (Leaves<Game, Kind>) table.left = left<Kind>;
    if constexpr (HasPossible<Game, Kind>) table.possible = possible<Kind>;
    table.has_predict = HasPredict<Game, Kind>;
    if constexpr (HasPredict<Game, Kind>) table.predict = Game::predict(Kind{});
    table.has_look = HasLook<Game, Kind>;
    table.look = look<Kind>;
    table.apply = kApply<Kind>;
    table.contact = kContact<Kind>;
    return table;
  }

  static constexpr std::array<KindTable, sizeof...(Kinds)> kKinds{kind_table<Kinds>()...};
  static constexpr std::array<TypeInfo, sizeof...(Outcomes)> kOutcomes{type_info<Outcomes>()...};
  static constexpr std::array<TypeInfo, sizeof...(Events)> kEvents{type_info<Events>()...};
  static constexpr std::array<EventText, sizeof...(Events)> kTexts{text_of<Events>()...};
};

template <class ResultList>
struct ResultTypes;

template <class... Types>
struct ResultTypes<List<Types...>> {
  static_assert(sizeof...(Types) <= 256, "a game has at most 256 kinds of results");
  static constexpr std::array<TypeInfo, sizeof...(Types)> kResults{type_info<Types>()...};
};

template <class Game, class CommandList>
struct CommandTables;

template <class Game, class... Types>
struct CommandTables<Game, List<Types...>> {
  static_assert(!kHasNamed_command<Game> || sizeof...(Types) > 0,
                "the game has command(), but no `using Commands = List<…>`");
  static_assert(sizeof...(Types) <= 256, "a game has at most 256 commands");
  static_assert(((type_info<Types>().bits <= 8 * 64) && ...), "a command has at most 64 bytes");
  static_assert((Commands<Game, Types> && ...),
                "command is missing or has another signature for one of the game's Commands: "
                "command(Server<Game>&, Player, const Command&)");

  template <class Command>
  static void run(Running& running, Player who, const void* command) {
    Server<Game> server{running};
    if constexpr (Commands<Game, Command>) {
      Game::command(server, who, *static_cast<const Command*>(command));
    }
  }

  static constexpr std::array<CommandTable, sizeof...(Types)> kCommands{
      CommandTable{.type = type_info<Types>(), .run = run<Types>}...};
};

constexpr std::uint64_t hash_of(const GameTable& table) {
  DeclarationHash hash;
  hash.add(table.name);
  hash.add(table.version);
  hash.add(table.gravity);
  hash.add(table.avatar);
  for (const TypeInfo* type : {&table.input, &table.seat, &table.room, &table.secret}) {
    hash.add(*type);
  }
  for (const KindTable& kind : table.kinds) {
    hash.add(kind.type);
    hash.add(kind.top_speed);
  }
  for (const CommandTable& command : table.commands) {
    hash.add(command.type);
  }
  for (const TypeInfo& result : table.results) {
    hash.add(result);
  }
  for (const auto& types : {table.outcomes, table.events}) {
    hash.add(static_cast<std::int64_t>(types.size()));
    for (const TypeInfo& type : types) {
      hash.add(type);
    }
  }
  return hash.value();
}

template <class Game>
constexpr GameTable make_game_table() {
  using Secret = SecretOf<Game>;
  using AllTables = Tables<Game, typename Game::Kinds, OutcomesOf<Game>, EventsOf<Game>>;
  GameTable table{.name = Game::name, .version = Game::version};
  table.avatar = static_cast<std::uint8_t>(kNumberInKinds<Game, typename Game::Avatar>);
  table.input = type_info<typename Game::Input>();
  table.seat = type_info<SeatOf<Game>>();
  table.room = type_info<RoomOf<Game>>();
  table.secret = type_info<Secret>();
  table.kinds = AllTables::kKinds;
  table.outcomes = AllTables::kOutcomes;
  table.events = AllTables::kEvents;
  table.texts = AllTables::kTexts;
  table.commands = CommandTables<Game, CommandsOf<Game>>::kCommands;
  table.results = ResultTypes<ResultsOf<Game>>::kResults;
  table.hooks = kHooks<Game>;
  table.bot = bot_table<Game>();
  add_keys<Game>(table);
  table.maps = maps_of<Game>();
  for (const KindTable& kind : table.kinds) {
    if (kind.type.bytes > table.state_bytes) table.state_bytes = kind.type.bytes;
  }
  if constexpr (HasGravity<Game>) table.gravity = Game::gravity;
  if constexpr (HasMoves<Game>) table.moves = Game::moves;
  table.map = [](MapBuilder& builder, const MapOptions& options) { Game::map(builder, options); };
  if constexpr (HasSignificant<Game>) {
    table.significant = [](void* input, const void* avatar) {
      auto& value = *static_cast<typename Game::Input*>(input);
      value = Game::significant(value, *static_cast<const typename Game::Avatar*>(avatar));
    };
  }
  if constexpr (HasSight<Game>) {
    table.sight = [](const void* avatar) {
      return Game::sight(*static_cast<const typename Game::Avatar*>(avatar));
    };
  }
  if constexpr (HasLabel<Game>) {
    table.label = [](const void* room) {
      return Game::label(*static_cast<const RoomOf<Game>*>(room));
    };
  }
  if constexpr (HasOpen<Game>) {
    table.open = [](Running& running) {
      Server<Game> server{running};
      Game::open(server);
    };
  }
  table.join = [](Running& running, Player who) {
    Server<Game> server{running};
    Game::join(server, who);
  };
  if constexpr (HasLeave<Game>) {
    table.leave = [](Running& running, Player who) {
      Server<Game> server{running};
      Game::leave(server, who);
    };
  }
  if constexpr (HasDecide<Game>) {
    table.decide = [](Running& running) {
      Server<Game> server{running};
      Game::decide(server);
    };
  }
  table.hash = hash_of(table);
  return table;
}

template <class Game>
constexpr GameTable checked_game_table() {
  if constexpr (check_rules<Game>()) return make_game_table<Game>();
  return {};
}

}  // namespace detail

/// A game that has what it must define. Fails to compile for a game that has not, in words.
template <class Game>
concept GameRules = detail::check_rules<Game>();

/// The table of a game.
template <class Game>
inline constexpr GameTable kGameTable = detail::checked_game_table<Game>();

}  // namespace tickbox

// clang-format off
/// Makes a struct the game of the program (program.h). Stands once in a program, outside of all
/// namespaces and without a semicolon: TICKBOX_GAME(tag::Tag)
#define TICKBOX_GAME(...)                                                                 \
  const ::tickbox::GameTable& ::tickbox::game_named_by_TICKBOX_GAME() {                   \
    return ::tickbox::kGameTable<__VA_ARGS__>;                                            \
  }
// clang-format on
