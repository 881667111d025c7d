#pragma once
// Which members of the interface (game.h) a game defines, asked at compile time.

#include "tickbox/game.h"
#include "tickbox/game_table.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tickbox::detail {

// What a game must define.

template <class Game>
concept HasName = requires { typename std::bool_constant<std::string_view{Game::name}.empty()>; };
template <class Game>
concept HasVersion = requires { typename std::integral_constant<std::uint32_t, Game::version>; };
template <class Game>
concept HasInput = requires { requires Declared<typename Game::Input>; };
template <class Types>
inline constexpr bool kIsList = false;
template <class... Types>
inline constexpr bool kIsList<List<Types...>> = true;
template <class Game>
concept HasKinds = requires { requires kIsList<typename Game::Kinds>; };
template <class Type, class Types>
inline constexpr bool kIsIn = false;
template <class Type, class... Types>
inline constexpr bool kIsIn<Type, List<Types...>> = (std::is_same_v<Type, Types> || ...);
template <class Game>
concept HasAvatar = kIsIn<typename Game::Avatar, KindsOf<Game>>;
template <class Game>
concept HasMap = requires(MapBuilder& map, const MapOptions& options) { Game::map(map, options); };
template <class Game>
concept HasJoin = requires(Server<Game>& server, Player who) { Game::join(server, who); };
template <class Game, class Kind>
concept HasBody = requires(const Kind& state) {
  { Game::body(state) } -> std::same_as<Body>;
};
template <class Game, class Kind>
concept HasTopSpeed =
    requires { typename std::integral_constant<std::int32_t, Game::top_speed(Kind{})>; };
// Both are optional; what else a game defines uses them.
template <class Game>
inline constexpr bool kHasLists = kIsList<OutcomesOf<Game>> && kIsList<EventsOf<Game>> &&
                                  kIsList<CommandsOf<Game>> && kIsList<ResultsOf<Game>>;  // NOLINT
template <class Game>
inline constexpr bool kHasStates = Declared<SeatOf<Game>> && Declared<RoomOf<Game>> &&
                                   Declared<SecretOf<Game>> && Declared<BotStateOf<Game>>;

// What a game can define.

template <class Game, class Kind>
concept ActsByInput = requires(Entity<Kind> me, const typename Game::Input& input,
                               Step<Game>& step) { Game::act(me, input, step); };
template <class Game, class Kind>
concept ActsAlone = requires(Entity<Kind> me, Step<Game>& step) { Game::act(me, step); };
template <class Game, class Kind>
concept Casts =
    requires(ConstEntity<Kind> me, const typename Game::Input& input, const Moment& moment) {
      { Game::ray(me, input, moment) } -> std::same_as<std::optional<Ray>>;
    };
template <class Game, class Kind>
concept IsStruck = requires(Entity<Kind> me, Player shooter, Step<Game>& step) {
  Game::struck(me, shooter, step);
};
template <class Game, class Kind>
concept MeetsWalls =
    requires(Entity<Kind> me, Contact contact, Step<Game>& step) { Game::wall(me, contact, step); };
template <class Game, class Kind>
concept ActsAfter = requires(Entity<Kind> me, Step<Game>& step) { Game::after(me, step); };
template <class Game, class Kind>
concept IsCrushed = requires(Entity<Kind> me, Step<Game>& step) { Game::crushed(me, step); };
template <class Game, class Kind>
concept Leaves = requires(Entity<Kind> me, Step<Game>& step) { Game::left(me, step); };
template <class Game, class Kind>
concept HasPossible = requires(const Kind& state) {
  { Game::possible(state) } -> std::same_as<bool>;
};
template <class Game, class Kind>
concept HasPredict = requires(const Kind& state) {
  { Game::predict(state) } -> std::same_as<Predict>;
  typename std::integral_constant<Predict, Game::predict(Kind{})>;
};
template <class Game, class Kind>
concept HasLook = requires(const Kind& state) {
  { Game::look(state) } -> std::same_as<Look>;
};
template <class Game>
concept HasLabel = requires(const RoomOf<Game>& room) {
  { Game::label(room) } -> std::same_as<Caption>;
};
template <class Game, class Event>
concept HasText = requires(const Event& event) {
  { Game::text(event) } -> std::same_as<Caption>;
};
/// Whether a value is one that keys can give: an input, or a command.
template <class Game, class Value>
inline constexpr bool kIsOfKeys =
    std::is_same_v<Value, typename Game::Input> || kIsIn<Value, CommandsOf<Game>>;
template <class Game, class Keys>
inline constexpr bool kAreKeys = false;
template <class Game, class Value, std::size_t N>
inline constexpr bool kAreKeys<Game, const std::array<Key<Value>, N>> = kIsOfKeys<Game, Value>;
template <class Game, class... Values>
inline constexpr bool kAreKeys<Game, const std::tuple<Key<Values>...>> =
    std::conjunction_v<std::bool_constant<kIsOfKeys<Game, Values>>...>;
template <class Game>
concept HasKeys = requires { Game::keys; } && kAreKeys<Game, decltype(Game::keys)>;
template <class Game>
concept HasMaps = requires { std::span<const std::string_view>{Game::maps}; };
template <class Game>
concept HasGravity = requires { typename std::integral_constant<std::int32_t, Game::gravity>; };
template <class Game>
concept HasMoves = std::same_as<decltype(Game::moves), const bool>;
template <class Game>
concept HasOpen = requires(Server<Game>& server) { Game::open(server); };
template <class Game>
concept HasLeave = requires(Server<Game>& server, Player who) { Game::leave(server, who); };
template <class Game>
concept HasDecide = requires(Server<Game>& server) { Game::decide(server); };
template <class Game>
concept HasSight = requires(const typename Game::Avatar& avatar) {
  { Game::sight(avatar) } -> std::same_as<Vec2>;
};
template <class Game, class Command>
concept Commands = requires(Server<Game>& server, Player who, const Command& command) {
  Game::command(server, who, command);
};
template <class Game, class A, class B>
concept Meets = requires(Entity<A> a, Entity<B> b, Contact contact, Step<Game>& step) {
  Game::contact(a, b, contact, step);
};
template <class Game, class Kind, class Outcome>
concept Applies = requires(Entity<Kind> me, const Outcome& outcome, Step<Game>& step) {
  Game::apply(me, outcome, step);
};
template <class Game>
concept HasBot =
    requires(const BotView<Game>& view, BotStateOf<Game>& memory, std::string_view style) {
      { Game::bot(view, memory, style) } -> std::same_as<typename Game::Input>;
    };
template <class Game>
concept HasBotStyles = requires { std::span<const std::string_view>{Game::bot_styles}; };
template <class Game>
concept HasSignificant = requires(typename Game::Input input, const typename Game::Avatar& avatar) {
  { Game::significant(input, avatar) } -> std::same_as<typename Game::Input>;
};

// The optional functions and constants of a game, and whether a game has one, whatever its
// signature. If it has, the name is ambiguous in a class that derives from the game and from a
// struct with a member of that name.
// NOLINTBEGIN(cppcoreguidelines-macro-usage): makes one probe for each name
// clang-format off
#define TICKBOX_DETAIL_HOOKS(each)                                                        \
  each(act) each(ray) each(struck) each(contact) each(wall) each(after) each(apply)       \
  each(crushed) each(left) each(open) each(leave) each(decide) each(command)              \
  each(significant) each(sight) each(predict) each(possible) each(gravity) each(maps)     \
  each(moves) each(bot) each(bot_styles) each(keys) each(look) each(label) each(text)
// clang-format on
#define TICKBOX_DETAIL_PROBE(hook)             \
  struct Named_##hook {                        \
    int hook = 0;                              \
  };                                           \
  template <class Game>                        \
  struct Probe_##hook : Game, Named_##hook {}; \
  template <class Game>                        \
  inline constexpr bool kHasNamed_##hook = !requires { &Probe_##hook<Game>::hook; };
TICKBOX_DETAIL_HOOKS(TICKBOX_DETAIL_PROBE)
#undef TICKBOX_DETAIL_PROBE
#define TICKBOX_DETAIL_HOOK(hook) Hook{.name = #hook, .is_declared = kHasNamed_##hook<Game>},
/// All optional functions and constants, in the order of TICKBOX_DETAIL_HOOKS.
template <class Game>
inline constexpr std::array kHooks{TICKBOX_DETAIL_HOOKS(TICKBOX_DETAIL_HOOK)};
#undef TICKBOX_DETAIL_HOOK
#undef TICKBOX_DETAIL_HOOKS
// NOLINTEND(cppcoreguidelines-macro-usage)

}  // namespace tickbox::detail
