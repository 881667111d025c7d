#pragma once
// A game as plain data: what Tickbox itself sees of it. The adapter below makes the table from the
// game's struct at compile time; everything inside Tickbox uses only the table.

#include "tickbox/game.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tickbox {

/// The form of a field. Flag and Press are 0 or 1.
enum class FieldForm : std::uint8_t { Whole, Flag, Press, Player, Ref };

/// One declared member: `times` values side by side, each of `bytes` bytes in memory.
struct FieldInfo {
  std::string_view name;
  FieldForm form = FieldForm::Whole;
  std::uint16_t offset = 0;  ///< in the type
  std::uint8_t bytes = 0;
  std::uint8_t bits = 0;  ///< of each value where it is sent or stored
  std::uint8_t times = 1;
  std::int64_t min = 0;  ///< of a Whole; sent as the distance from it
  std::int64_t max = 0;  ///< of a Whole
};

/// A declared type.
struct TypeInfo {
  std::string_view name;
  std::uint16_t bytes = 0;  ///< size in memory
  std::uint16_t bits = 0;   ///< size where it is sent or stored
  std::uint8_t field_count = 0;
  bool has_presses = false;
  bool has_gaps = false;           ///< in memory, between or behind its fields
  std::uint64_t default_hash = 0;  ///< of the values that its fields have by default
  /// Writes the value that the type has by default.
  void (*write_default)(void* out) = nullptr;
  std::array<FieldInfo, kFieldsMax> all_fields{};

  [[nodiscard]] constexpr std::span<const FieldInfo> fields() const {
    return std::span{all_fields}.first(field_count);
  }
};

/// The most bytes of a declared type in memory. State is copied in each tick.
inline constexpr std::size_t kTypeBytesMax = 256;

/// A kind of entity, and its callbacks; nullptr for one that the game does not define.
struct KindTable {
  using Apply = void (*)(const detail::Row& row, const void* outcome, const detail::AnyStep& step);
  using Meet = void (*)(const detail::Row& a, const detail::Row& b, Contact contact,
                        const detail::AnyStep& step);

  TypeInfo type;
  std::int32_t top_speed = 0;  ///< units per second
  Predict predict = Predict::Near;
  Look look;  ///< by default the first letter of the kind's name
  Body (*body)(const void* state) = nullptr;
  void (*act)(const detail::Row& row, const void* input, const detail::AnyStep& step) = nullptr;
  std::optional<Ray> (*ray)(const detail::Row& row, const void* input,
                            const detail::Moment& moment) = nullptr;
  void (*struck)(const detail::Row& row, Player shooter, const detail::AnyStep& step) = nullptr;
  void (*wall)(const detail::Row& row, Contact contact, const detail::AnyStep& step) = nullptr;
  void (*after)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  void (*crushed)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  void (*left)(const detail::Row& row, const detail::AnyStep& step) = nullptr;
  bool (*possible)(const void* state) = nullptr;
  std::span<const Apply> apply;   ///< by outcome
  std::span<const Meet> contact;  ///< by the kind of the other
};

/// A command that players may send.
struct CommandTable {
  TypeInfo type;
  void (*run)(detail::Running& running, Player who, const void* command) = nullptr;
};

/// Keys that give a value of the input a number while they are down. One Key of a game is as many
/// of these as it sets values.
struct KeyTable {
  std::string_view keys;
  std::uint8_t field = 0;  ///< of GameTable::input
  std::uint8_t i = 0;      ///< which value of the field
  std::int64_t value = 0;  ///< within the field's range
};

/// How a game plays by itself. Bots that need no code of the game are not here (common/bots).
struct BotTable {
  std::span<const std::string_view> styles;  ///< empty: the game has no bot
  TypeInfo state;                            ///< what a bot remembers
  /// Writes the input of one tick. `style`: one of `styles`.
  void (*decide)(const detail::BotSight& sight, void* state, std::string_view style,
                 void* input) = nullptr;
};

struct GameTable {
  std::string_view name;
  std::uint32_t version = 0;
  std::uint64_t hash = 0;    ///< over names, ranges, order, version, speeds and gravity
  std::int32_t gravity = 0;  ///< units per second², down
  std::uint8_t avatar = 0;   ///< the kind that players control

  TypeInfo input;
  TypeInfo seat;
  TypeInfo room;
  TypeInfo secret;
  std::span<const KindTable> kinds;
  std::span<const TypeInfo> outcomes;
  std::span<const TypeInfo> events;
  std::span<const CommandTable> commands;
  std::uint16_t state_bytes = 0;  ///< of the largest kind: the stride of rows
  // No part of the rules, nor of `hash`.
  BotTable bot;
  std::span<const KeyTable> keys;

  void (*map)(MapBuilder& builder, const MapOptions& options) = nullptr;
  void (*significant)(void* input, const void* avatar) = nullptr;
  Vec2 (*sight)(const void* avatar) = nullptr;
  void (*open)(detail::Running& running) = nullptr;
  void (*join)(detail::Running& running, Player who) = nullptr;
  void (*leave)(detail::Running& running, Player who) = nullptr;
  void (*decide)(detail::Running& running) = nullptr;
};

namespace detail {

constexpr std::uint8_t bits_for(std::uint64_t most) {
  return static_cast<std::uint8_t>(std::bit_width(most));
}

/// The form and range of one value.
template <class Value>
struct ValueInfo;

template <std::int64_t Min, std::int64_t Max>
struct ValueInfo<Int<Min, Max>> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Whole,
                                   .bytes = sizeof(Int<Min, Max>),
                                   .bits = bits_for(static_cast<std::uint64_t>(Max - Min)),
                                   .min = Min,
                                   .max = Max};
};

template <>
struct ValueInfo<bool> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Flag, .bytes = 1, .bits = 1, .max = 1};
};

template <>
struct ValueInfo<Press> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Press, .bytes = 1, .bits = 1, .max = 1};
};

template <>
struct ValueInfo<Player> {
  static constexpr FieldInfo kInfo{
      .form = FieldForm::Player, .bytes = 2, .bits = 16, .max = Player::kNobody};
};

template <>
struct ValueInfo<Ref> {
  static constexpr FieldInfo kInfo{.form = FieldForm::Ref, .bytes = 8, .bits = 64};
};

template <class Member>
struct MemberInfo {
  static constexpr FieldInfo kInfo = ValueInfo<Member>::kInfo;
};

template <class Value, std::size_t N>
struct MemberInfo<Array<Value, N>> {
  static constexpr FieldInfo kInfo = [] {
    FieldInfo info = ValueInfo<Value>::kInfo;
    info.times = static_cast<std::uint8_t>(N);
    return info;
  }();
};

/// FNV-1a over the declarations.
class DeclarationHash {
 public:
  constexpr void add(std::int64_t number) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
    }
  }

  constexpr void add(std::string_view text) {
    for (const char letter : text) {
      add_byte(static_cast<std::uint8_t>(letter));
    }
    add(static_cast<std::int64_t>(text.size()));
  }

  constexpr void add(const TypeInfo& type) {
    add(type.name);
    add(static_cast<std::int64_t>(type.default_hash));
    add(type.field_count);
    for (const FieldInfo& field : type.fields()) {
      add(field.name);
      add(static_cast<std::int64_t>(field.form));
      add(field.times);
      add(field.min);
      add(field.max);
    }
  }

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }

 private:
  constexpr void add_byte(std::uint8_t byte) { value_ = (value_ ^ byte) * 0x100'0000'01b3; }

  std::uint64_t value_ = 0xcbf2'9ce4'8422'2325;
};

/// The number that stands for a value.
template <std::int64_t Min, std::int64_t Max>
constexpr std::int64_t number_of(Int<Min, Max> value) {
  return std::int32_t{value};
}

constexpr std::int64_t number_of(bool value) {
  return value ? 1 : 0;
}

constexpr std::int64_t number_of(Press value) {
  return value.down ? 1 : 0;
}

constexpr std::int64_t number_of(Player value) {
  return value.seat;
}

constexpr std::int64_t number_of(Ref value) {
  return static_cast<std::int64_t>(value.id);
}

template <class Value>
constexpr void add_default(DeclarationHash& hash, const Value& value) {
  hash.add(number_of(value));
}

template <class Value, std::size_t N>
constexpr void add_default(DeclarationHash& hash, const Array<Value, N>& values) {
  for (const Value& value : values.all) {
    hash.add(number_of(value));
  }
}

template <class Type>
void write_default(void* out) {
  *static_cast<Type*>(out) = Type{};
}

template <class Type>
constexpr TypeInfo type_info() {
  static_assert(check_declared<Type>());
  static_assert(sizeof(Type) <= kTypeBytesMax, "a declared type has at most 256 bytes");
  static_assert(alignof(Type) <= alignof(std::uint64_t));
  TypeInfo info{
      .name = Type::tickbox_name(), .bytes = sizeof(Type), .write_default = write_default<Type>};
  [[maybe_unused]] constexpr Type kByDefault{};  // a type may have no member
  DeclarationHash defaults;
  std::size_t end_of_fields = 0;
  Type::tickbox_visit(
      [&]<class Member>(std::string_view name, Member Type::* member, std::size_t offset) {
        FieldInfo field = MemberInfo<Member>::kInfo;
        field.name = name;
        field.offset = static_cast<std::uint16_t>(offset);
        info.bits = static_cast<std::uint16_t>(info.bits + field.bits * field.times);
        info.has_presses = info.has_presses || field.form == FieldForm::Press;
        info.all_fields[info.field_count++] = field;
        add_default(defaults, kByDefault.*member);
        end_of_fields += std::size_t{field.bytes} * field.times;
      });
  info.has_gaps = end_of_fields != sizeof(Type);
  info.default_hash = defaults.value();
  return info;
}

// --- callbacks that a game defines for a kind ---

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
};
template <class Game, class Kind>
concept HasLook = requires(const Kind& state) {
  { Game::look(state) } -> std::same_as<Look>;
};
template <class Game>
concept HasKeys = requires { std::span<const Key<typename Game::Input>>{Game::keys}; };
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
concept HasBot = requires(const BotView<Game>& view, typename BotStateOf<Game>::Type& memory,
                          std::string_view style) {
  { Game::bot(view, memory, style) } -> std::same_as<typename Game::Input>;
};
template <class Game>
concept HasBotStyles = requires { std::span<const std::string_view>{Game::bot_styles}; };
template <class Game>
concept HasSignificant = requires(typename Game::Input input, const typename Game::Avatar& avatar) {
  { Game::significant(input, avatar) } -> std::same_as<typename Game::Input>;
};

// Whether a game has a member of a hook's name, whatever its signature: then a lookup of the name
// in a class that derives from the game and from one that has the name is ambiguous.
// NOLINTBEGIN(cppcoreguidelines-macro-usage): makes one probe for each name
#define TICKBOX_DETAIL_PROBE(hook)             \
  struct Named_##hook {                        \
    int hook = 0;                              \
  };                                           \
  template <class Game>                        \
  struct Probe_##hook : Game, Named_##hook {}; \
  template <class Game>                        \
  inline constexpr bool kHasNamed_##hook = !requires { &Probe_##hook<Game>::hook; };
TICKBOX_DETAIL_PROBE(act)
TICKBOX_DETAIL_PROBE(ray)
TICKBOX_DETAIL_PROBE(struck)
TICKBOX_DETAIL_PROBE(wall)
TICKBOX_DETAIL_PROBE(after)
TICKBOX_DETAIL_PROBE(crushed)
TICKBOX_DETAIL_PROBE(left)
TICKBOX_DETAIL_PROBE(possible)
TICKBOX_DETAIL_PROBE(predict)
TICKBOX_DETAIL_PROBE(sight)
TICKBOX_DETAIL_PROBE(command)
TICKBOX_DETAIL_PROBE(contact)
TICKBOX_DETAIL_PROBE(apply)
TICKBOX_DETAIL_PROBE(significant)
TICKBOX_DETAIL_PROBE(open)
TICKBOX_DETAIL_PROBE(leave)
TICKBOX_DETAIL_PROBE(decide)
TICKBOX_DETAIL_PROBE(bot)
TICKBOX_DETAIL_PROBE(bot_styles)
TICKBOX_DETAIL_PROBE(keys)
TICKBOX_DETAIL_PROBE(look)
#undef TICKBOX_DETAIL_PROBE
// NOLINTEND(cppcoreguidelines-macro-usage)

template <class Game, class KindList, class OutcomeList, class EventList>
struct Tables;

template <class Game, class... Kinds, class... Outcomes, class... Events>
struct Tables<Game, List<Kinds...>, List<Outcomes...>, List<Events...>> {
  static_assert(sizeof...(Kinds) >= 1 && sizeof...(Kinds) <= 64, "a game has 1 to 64 kinds");
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
                "predict has another signature: Predict predict(const Kind&)");
  static_assert(!kHasNamed_look<Game> || (HasLook<Game, Kinds> || ...),
                "look has another signature: Look look(const Kind&)");
  static_assert(!kHasNamed_sight<Game> || HasSight<Game>,
                "sight has another signature: Vec2 sight(const Avatar&)");
  static_assert(!kHasNamed_significant<Game> || HasSignificant<Game>,
                "significant has another signature: Input significant(Input, const Avatar&)");
  static_assert(
      !kHasNamed_open<Game> || requires(Server<Game>& server) { Game::open(server); },
      "open has another signature: open(Server<Game>&)");
  static_assert(
      !kHasNamed_leave<Game> || requires(Server<Game>& server, Player who) {
        Game::leave(server, who);
      }, "leave has another signature: leave(Server<Game>&, Player)");
  static_assert(
      !kHasNamed_decide<Game> || requires(Server<Game>& server) { Game::decide(server); },
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

  template <class Kind>
  static constexpr bool applies_any() {
    return (Applies<Game, Kind, Outcomes> || ...);
  }

  static_assert(!kHasNamed_apply<Game> || (applies_any<Kinds>() || ...),
                "apply has another signature: apply(Entity<Kind>, const Outcome&, Step<Game>&)");

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
    if constexpr (HasPredict<Game, Kind>) table.predict = Game::predict(Kind{});
    table.look = {.glyph = table.type.name.front()};
    if constexpr (HasLook<Game, Kind>) table.look = Game::look(Kind{});
    table.apply = kApply<Kind>;
    table.contact = kContact<Kind>;
    return table;
  }

  static constexpr std::array<KindTable, sizeof...(Kinds)> kKinds{kind_table<Kinds>()...};
  static constexpr std::array<TypeInfo, sizeof...(Outcomes)> kOutcomes{type_info<Outcomes>()...};
  static constexpr std::array<TypeInfo, sizeof...(Events)> kEvents{type_info<Events>()...};
};

template <class Game, class CommandList>
struct CommandTables;

template <class Game, class... Types>
struct CommandTables<Game, List<Types...>> {
  static_assert(!kHasNamed_command<Game> || sizeof...(Types) > 0,
                "the game has command(), but no `using Commands = List<…>`");
  static_assert(sizeof...(Types) <= 256, "a game has at most 256 commands");
  static_assert((Commands<Game, Types> && ...),
                "a command has no command(Server<Game>&, Player, const Command&)");

  template <class Command>
  static void run(Running& running, Player who, const void* command) {
    Server<Game> server{running};
    Game::command(server, who, *static_cast<const Command*>(command));
  }

  static constexpr std::array<CommandTable, sizeof...(Types)> kCommands{
      CommandTable{.type = type_info<Types>(), .run = run<Types>}...};
};

/// The names of bots that every game has, and of a mixture.
inline constexpr std::array<std::string_view, 4> kStylesOfEveryGame = {"wander", "still", "stress",
                                                                       "mix"};

/// Returns whether each name has letters a to z and dashes alone, and is no other's.
constexpr bool are_style_names(std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return false;
    for (const char letter : names[i]) {
      if (letter != '-' && (letter < 'a' || letter > 'z')) return false;
    }
    for (const std::string_view taken : kStylesOfEveryGame) {
      if (names[i] == taken) return false;
    }
    for (std::size_t before = 0; before < i; ++before) {
      if (names[i] == names[before]) return false;
    }
  }
  return true;
}

template <class Game>
void bot(const BotSight& sight, void* state, std::string_view style, void* input) {
  *static_cast<typename Game::Input*>(input) =
      Game::bot(BotView<Game>{sight}, *static_cast<typename BotStateOf<Game>::Type*>(state), style);
}

template <class Game>
constexpr BotTable bot_table() {
  static_assert(!kHasNamed_bot<Game> || HasBot<Game>,
                "bot has another signature: Input bot(const BotView<Game>&, BotState&, "
                "std::string_view)");
  static_assert(!kHasNamed_bot<Game> || HasBotStyles<Game>,
                "the game has bot(), but no constexpr array of std::string_view `bot_styles`");
  static_assert(kHasNamed_bot<Game> || !kHasNamed_bot_styles<Game>,
                "the game has bot_styles, but no bot()");
  if constexpr (HasBot<Game> && HasBotStyles<Game>) {
    constexpr std::span<const std::string_view> kStyles{Game::bot_styles};
    static_assert(!kStyles.empty() && kStyles.size() <= 16, "a game has 1 to 16 bot_styles");
    static_assert(
        are_style_names(kStyles),
        "bot_styles are names of letters a to z and dashes, each another, and not wander, "
        "still, stress or mix: every game has these");
    return {.styles = kStyles,
            .state = type_info<typename BotStateOf<Game>::Type>(),
            .decide = bot<Game>};
  } else {
    return {};
  }
}

template <class Value, class Visit>
constexpr void visit_numbers(const Value& value, Visit visit) {
  visit(std::uint8_t{0}, number_of(value));
}

template <class Value, std::size_t N, class Visit>
constexpr void visit_numbers(const Array<Value, N>& values, Visit visit) {
  for (std::size_t i = 0; i < N; ++i) {
    visit(static_cast<std::uint8_t>(i), number_of(values.all[i]));
  }
}

/// Calls visit(KeyTable) for each value that a key sets.
template <class Input, class Visit>
constexpr void visit_set_values(const Key<Input>& key, Visit visit) {
  const Input by_default{};
  std::uint8_t field = 0;
  Input::tickbox_visit([&]<class Member>(auto, Member Input::* member, auto) {
    std::array<std::int64_t, kFieldsMax> before{};
    visit_numbers(by_default.*member,
                  [&](std::uint8_t i, std::int64_t number) { before[i] = number; });
    visit_numbers(key.input.*member, [&](std::uint8_t i, std::int64_t number) {
      if (number == before[i]) return;
      visit(KeyTable{.keys = key.keys, .field = field, .i = i, .value = number});
    });
    ++field;
  });
}

template <class Game>
constexpr std::size_t count_set_values() {
  std::size_t count = 0;
  for (const auto& key : Game::keys) {
    visit_set_values(key, [&](const KeyTable&) { ++count; });
  }
  return count;
}

template <class Game>
inline constexpr auto kKeyTables = [] {
  std::array<KeyTable, count_set_values<Game>()> tables{};
  std::size_t count = 0;
  for (const auto& key : Game::keys) {
    visit_set_values(key, [&](const KeyTable& table) { tables[count++] = table; });
  }
  return tables;
}();

template <class Game>
constexpr bool are_keys_named() {
  for (const auto& key : Game::keys) {
    if (!are_key_names(key.keys)) return false;
  }
  return true;
}

template <class Game>
constexpr std::span<const KeyTable> keys_of() {
  static_assert(!kHasNamed_keys<Game> || HasKeys<Game>,
                "keys is no constexpr array of Key{\"name\", Input{...}}");
  if constexpr (HasKeys<Game>) {
    static_assert(are_keys_named<Game>(),
                  "a key is a letter a to z, a digit, space, enter, tab, up, down, left or right; "
                  "several have a + between them");
    return kKeyTables<Game>;
  } else {
    return {};
  }
}

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
  using Secret = typename SecretOf<Game>::Type;
  using AllTables =
      Tables<Game, typename Game::Kinds, typename Game::Outcomes, typename Game::Events>;
  GameTable table{.name = Game::name, .version = Game::version};
  table.avatar = static_cast<std::uint8_t>(kNumberIn<typename Game::Avatar, typename Game::Kinds>);
  table.input = type_info<typename Game::Input>();
  table.seat = type_info<typename Game::Seat>();
  table.room = type_info<typename Game::Room>();
  table.secret = type_info<Secret>();
  table.kinds = AllTables::kKinds;
  table.outcomes = AllTables::kOutcomes;
  table.events = AllTables::kEvents;
  table.commands = CommandTables<Game, typename CommandsOf<Game>::Type>::kCommands;
  table.bot = bot_table<Game>();
  table.keys = keys_of<Game>();
  for (const KindTable& kind : table.kinds) {
    if (kind.type.bytes > table.state_bytes) table.state_bytes = kind.type.bytes;
  }
  if constexpr (requires { Game::gravity; }) table.gravity = Game::gravity;
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
  if constexpr (requires(Server<Game>& server) { Game::open(server); }) {
    table.open = [](Running& running) {
      Server<Game> server{running};
      Game::open(server);
    };
  }
  table.join = [](Running& running, Player who) {
    Server<Game> server{running};
    Game::join(server, who);
  };
  if constexpr (requires(Server<Game>& server, Player who) { Game::leave(server, who); }) {
    table.leave = [](Running& running, Player who) {
      Server<Game> server{running};
      Game::leave(server, who);
    };
  }
  if constexpr (requires(Server<Game>& server) { Game::decide(server); }) {
    table.decide = [](Running& running) {
      Server<Game> server{running};
      Game::decide(server);
    };
  }
  table.hash = hash_of(table);
  return table;
}

}  // namespace detail

/// The table of a game.
template <GameRules Game>
inline constexpr GameTable kGameTable = detail::make_game_table<Game>();

}  // namespace tickbox
