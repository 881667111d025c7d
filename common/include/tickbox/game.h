#pragma once
// The whole interface that the rules of a game are written against. The source of a game includes
// adapter.h, which includes this file, and nothing else of Tickbox. A header of a game includes
// this file.
//
// A game is a struct of types and static functions. It derives from nothing and registers nothing;
// functions that it does not define are not called. NAME-laws lists the functions that it has
// found, each with its kinds. A function with a misspelt name is missing in that list, and so is a
// kind for which a function has other arguments. Three rules hold:
//
//   1. The state is what TICKBOX_FIELDS lists (fields.h).
//   2. Step, on server and client, has no clock, no private random numbers and no list of all
//      entities. Each entity that a callback looks up is logged as an influence on the entity whose
//      callback runs. So the islands that replication relies on are right whatever a game does.
//   3. Server, on the live server only, reads everything. It changes entities by outcomes, which
//      the server sends and a recording keeps.
//
// One tick, on both ends, in every replay:
//
//   1. leaves, joins and commands, with the outcomes that the server decided for them
//   2. act(me, input, step) or act(me, step), by id
//   3. struck(it, shooter, step) for each entity that a ray strikes. On the live server alone,
//      ray(me, input, moment) is asked before, and judged by what its player saw
//   4. the physics; body(state) is asked after each callback that has changed a state
//   5. contact(a, b, contact, step) and wall(me, contact, step), by time and ids: each pair once a
//      tick, in both orders where both are defined, and only when the contact begins; then begins
//      of overlaps with sensors, by ids; then crushed(me, step), and left(me, step) for what has
//      left the map's border, both by id
//   6. after(me, step), by id
//   7. decide(server), with its outcomes. A server steps no tick of a room without players
//
// An entity that is spawned in a phase exists from the end of that phase on: one that `act` spawns
// moves in this tick and does not act. An entity that is removed takes part in no further callback,
// and is gone when the phase ends. References are valid within one callback.

#include "tickbox/body.h"
#include "tickbox/fields.h"
#include "tickbox/keys.h"
#include "tickbox/units.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace tickbox {

/// Whether a spawned entity collides with the entity that spawned it.
enum class Parent : std::uint8_t {
  Collides,
  IgnoredThisTick,    ///< not in its first physics: a dart leaves who throws it
  IgnoredUntilApart,  ///< not before both are apart: a bomb under the player who lays it
};

/// One entity as rules see it. `->` reaches its declared state.
template <class Kind>
struct Entity {
  Ref ref;
  Player owner;    ///< who controls it, or (for credit) whose entity spawned it
  Vec2& min;       ///< minimum corner
  Vec2& velocity;  ///< sub-units per tick
  Kind& state;

  constexpr Kind* operator->() const { return &state; }
};

/// The same for the decisions of the server, which change entities by outcomes only.
template <class Kind>
struct ConstEntity {
  Ref ref;
  Player owner;
  const Vec2& min;
  const Vec2& velocity;
  const Kind& state;

  constexpr const Kind* operator->() const { return &state; }
};

/// The begin of a contact, or of an overlap with a sensor. Both entities stand where the physics of
/// the tick has left them, and not where they met.
struct Contact {
  std::int8_t nx = 0;  ///< the normal, from the second to the first; (0, 0) of an overlap
  std::int8_t ny = 0;
  /// The velocity of the first relative to the second just before the contact, in sub-units per
  /// tick: downwards for one that falls onto the other. (0, 0) of an overlap.
  Vec2 before{};
};

/// A side of a body.
enum class Side : std::uint8_t { Left, Right, Up, Down };

/// A ray that ends at `from + way`. One that begins outside of the world meets nothing.
struct Ray {
  Vec2 from{};
  Vec2 way{};                            ///< within ±4,096 units
  std::uint16_t layers = 1;              ///< as those of a body
  std::uint16_t collides_with = 0xffff;  ///< as those of a body
  Ref ignores{};
};

/// What a ray meets first. A wall, or a side of the world, has no ref.
struct RayHit {
  Ref ref{};
  Vec2 place{};
  std::int8_t nx = 0;  ///< from what it meets; (0, 0) where the ray begins inside
  std::int8_t ny = 0;
};

/// No path: an entity that moves by its velocity.
inline constexpr std::uint16_t kNoPath = 0xffff;

/// A place that a map names.
struct MapObject {
  Vec2 min{};
  Vec2 size{};
  std::uint16_t path = kNoPath;  ///< index of a path of the map
};

/// The objects of one kind, in the map's order.
struct MapObjects {
  std::span<const MapObject> all;

  [[nodiscard]] auto begin() const { return all.begin(); }

  [[nodiscard]] auto end() const { return all.end(); }

  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(all.size()); }

  /// Requires: 0 ≤ i < size().
  [[nodiscard]] const MapObject& operator[](std::int32_t i) const {
    return all[static_cast<std::size_t>(i)];
  }
};

/// The number of directions of aimed(); 0 is +x, a quarter of them is +y (down).
inline constexpr std::int32_t kDirections = 1'024;

/// Returns the vector of `length` sub-units in a direction, modulo kDirections. Mirrored directions
/// give exactly mirrored vectors. Requires: 0 ≤ length ≤ 4,096 units.
[[nodiscard]] Vec2 aimed(std::int32_t direction, std::int32_t length);

namespace detail {

/// An entity before its state is typed.
struct Row {
  Ref ref;
  Player owner;
  Vec2* min = nullptr;
  Vec2* velocity = nullptr;
  void* state = nullptr;  ///< nullptr: no entity

  template <class Kind>
  [[nodiscard]] Entity<Kind> as() const {
    return {ref, owner, *min, *velocity, *static_cast<Kind*>(state)};
  }

  template <class Kind>
  [[nodiscard]] ConstEntity<Kind> as_const() const {
    return {ref, owner, *min, *velocity, *static_cast<const Kind*>(state)};
  }
};

/// A callback over rows, and what it captures.
struct RowVisit {
  void (*call)(void* captured, const Row& row);
  void* captured;
};

/// Events of one type in this tick.
struct EventRows {
  const void* first = nullptr;
  std::size_t count = 0;
};

class Running;    // of the engine: the tick that runs, and the entity whose callback it is
struct BotSight;  // of the engine: what a bot sees

/// An entity that a bot sees, before its state is typed.
struct SeenRow {
  Ref ref;
  Player owner;
  std::uint8_t kind = 0;
  Vec2 min;
  Vec2 velocity;
  const void* state = nullptr;

  template <class Kind>
  [[nodiscard]] ConstEntity<Kind> as() const {
    return {ref, owner, min, velocity, *static_cast<const Kind*>(state)};
  }
};

/// What Step and Server share.
class Moment {
 public:
  explicit Moment(Running& running) : running_(&running) {}

  /// Returns the tick that runs. After 2^31 - 1, a year at 60 Hz, it stays there.
  [[nodiscard]] std::int32_t tick() const;

  /// Returns the ticks that `ms` milliseconds take, rounded up; at least 1.
  [[nodiscard]] Checked ticks(std::int32_t ms) const;

  /// Returns units/per a second as sub-units a tick, rounded towards 0. Requires, as accel(): per ≥
  /// 1 and a result of 32 bits.
  [[nodiscard]] std::int32_t speed(std::int32_t units, std::int32_t per = 1) const;

  /// Returns units/per a second² as sub-units a tick², rounded towards 0.
  [[nodiscard]] std::int32_t accel(std::int32_t units, std::int32_t per = 1) const;

  /// Returns the map's objects of a kind.
  [[nodiscard]] MapObjects objects(std::string_view kind) const;

  /// Returns whether a box overlaps a wall of the map, whatever the side from which it is solid. A
  /// size of 0 counts as one sub-unit.
  [[nodiscard]] bool overlaps_wall(Vec2 min, Vec2 size) const;

 protected:
  [[nodiscard]] Running& running() const { return *running_; }

  [[nodiscard]] const void* room_row() const;

 private:
  Running* running_;
};

/// Step before its types are known.
class AnyStep : public Moment {
 public:
  using Moment::Moment;

  /// Returns a number from 0 to n − 1, equal on server and client, and drawn again at each call. A
  /// modified client can foresee it: draw what must stay secret with Server::random().
  /// Requires: n ≥ 1.
  [[nodiscard]] std::int32_t shared_random(std::int32_t n) const;

  [[nodiscard]] bool exists(Ref who) const;
  [[nodiscard]] std::optional<RayHit> raycast(const Ray& ray) const;

  /// Returns whether the entity whose callback runs touches something on this side that stops it.
  [[nodiscard]] bool touching(Side side) const;

  /// Returns whether the entity whose callback runs stands on something that stops it.
  [[nodiscard]] bool grounded() const { return touching(Side::Down); }

  void remove(Ref who) const;

 protected:
  [[nodiscard]] Row find_row(Ref who, std::size_t kind) const;
  void visit_rows(Vec2 min, Vec2 size, std::size_t kind, RowVisit visit) const;
  void spawn_row(std::size_t kind, const void* state, Vec2 min, Vec2 velocity, Parent parent) const;
  void emit_row(Ref at, std::size_t event, const void* value) const;
};

/// Server before its types are known.
class AnyServer : public Moment {
 public:
  using Moment::Moment;

  /// Returns a number from 0 to n − 1 from the room's own sequence, which clients do not know.
  /// Requires: n ≥ 1.
  [[nodiscard]] std::int32_t random(std::int32_t n) const;

  /// Returns the number of seats of the room: a player's seat is below it.
  [[nodiscard]] std::int32_t seats() const;

  /// Returns the number of players in the room.
  [[nodiscard]] std::int32_t players() const;

  /// Returns whether a player is in the seat.
  [[nodiscard]] bool has(Player who) const;

  /// Calls visit(Player) for the players in the room, by seat.
  template <class Visit>
  void for_each_player(Visit&& visit) const {
    for (std::int32_t seat = 0; seat < seats(); ++seat) {
      const Player who{static_cast<std::uint16_t>(seat)};
      if (has(who)) visit(who);
    }
  }

  /// Returns whether a box overlaps no entity, whatever the layers of both. Walls do not count.
  [[nodiscard]] bool is_free(Vec2 min, Vec2 size) const;

  void remove(Ref who) const;

  /// Sets what a player's view is centred on, from now on: an entity, and after its removal its
  /// last place; or a place. Before the first call it is the first entity that the player controls,
  /// and after its removal its last place, until the player controls another. Requires: has(who).
  void focus(Player who, Ref whom) const;
  void focus(Player who, Vec2 place) const;

  /// Undoes focus(): the view is centred on the first entity that the player controls, or stays
  /// where it is until the player controls one. Requires: has(who).
  void unfocus(Player who) const;

  /// Ends the match with this tick; clients are disconnected with the reason match_ended. The next
  /// match opens in the next tick: players and entities are gone, without a call of leave() or
  /// left(), the states of room and secret are those by default, and open() runs. The room stays,
  /// and its ticks count on.
  void close_room() const;

  /// Returns what the backend put into the player's connect token. It is empty after the tick in
  /// which the player joins.
  [[nodiscard]] std::string_view token_user_data(Player who) const;

  /// Returns the tick in which the client of the player who joins has left this match before, also
  /// with another seat or token; nothing for a client that has not been here. A game decides by it
  /// when a client that comes back plays again. Nothing after the tick in which the player joins.
  /// A server remembers the last 4,096 clients that have left.
  [[nodiscard]] std::optional<std::int32_t> has_left_at(Player who) const;

 protected:
  [[nodiscard]] Row find_row(Ref who, std::size_t kind) const;
  [[nodiscard]] Row avatar_row(Player who, std::size_t kind) const;
  [[nodiscard]] Row first_row(std::size_t kind) const;
  [[nodiscard]] std::int32_t count_rows(std::size_t kind) const;
  void visit_rows(std::size_t kind, RowVisit visit) const;
  [[nodiscard]] EventRows event_rows(std::size_t event) const;
  [[nodiscard]] Ref spawn_row(Player who, std::size_t kind, const void* state, Vec2 min,
                              Vec2 velocity, std::uint16_t path) const;
  void decide_row(Ref whom, std::size_t outcome, const void* value) const;
  void publish_row(std::size_t result, const void* value) const;
  [[nodiscard]] void* seat_row(Player who) const;
  [[nodiscard]] void* own_room_row() const;
  [[nodiscard]] void* secret_row() const;
};

/// BotView before its types are known.
class AnyBotView {
 public:
  explicit AnyBotView(const BotSight& sight) : sight_(&sight) {}

  /// Returns the tick in which the input is used. After 2^31 - 1 it stays there.
  [[nodiscard]] std::int32_t tick() const;

  /// Returns the player for which the bot plays.
  [[nodiscard]] Player me() const;

  /// Returns the ticks that `ms` milliseconds take, rounded up; at least 1.
  [[nodiscard]] Checked ticks(std::int32_t ms) const;

  /// Returns the map's objects of a kind.
  [[nodiscard]] MapObjects objects(std::string_view kind) const;

  /// Returns whether a box overlaps a wall of the map, as Step's function does.
  [[nodiscard]] bool overlaps_wall(Vec2 min, Vec2 size) const;

  /// Returns a number from 0 to n − 1 from the bot's own sequence. Requires: n ≥ 1.
  [[nodiscard]] std::int32_t random(std::int32_t n) const;

 protected:
  [[nodiscard]] const SeenRow* find_row(Ref who, std::size_t kind) const;
  void give_command(std::size_t number, const void* value, std::size_t bytes) const;
  [[nodiscard]] std::span<const SeenRow> seen_rows() const;
  [[nodiscard]] std::span<const SeenRow> own_rows() const;
  [[nodiscard]] const void* room_row() const;

 private:
  const BotSight* sight_;
};

// SeatOf<Game> is Game::Seat, or Empty if the game has none. The other types are made alike.
#define TICKBOX_OPTIONAL_TYPE(NAME, OTHERWISE) \
  template <class Game>                        \
  struct NAME##Type {                          \
    using Type = OTHERWISE;                    \
  };                                           \
  template <class Game>                        \
    requires requires { typename Game::NAME; } \
  struct NAME##Type<Game> {                    \
    using Type = typename Game::NAME;          \
  };                                           \
  template <class Game>                        \
  using NAME##Of = typename NAME##Type<Game>::Type

TICKBOX_OPTIONAL_TYPE(Outcomes, List<>);
TICKBOX_OPTIONAL_TYPE(Events, List<>);
TICKBOX_OPTIONAL_TYPE(Commands, List<>);
TICKBOX_OPTIONAL_TYPE(Results, List<>);
TICKBOX_OPTIONAL_TYPE(Seat, Empty);
TICKBOX_OPTIONAL_TYPE(Room, Empty);
TICKBOX_OPTIONAL_TYPE(Secret, Empty);
TICKBOX_OPTIONAL_TYPE(BotState, Empty);
#undef TICKBOX_OPTIONAL_TYPE
template <class Game>
using KindsOf = typename Game::Kinds;

/// Returns the index of a type in a list; the number of all types if it is not there.
template <class Type, class... Types>
constexpr std::size_t number_in(List<Types...>) {
  std::size_t number = 0;
  static_cast<void>(((std::is_same_v<Type, Types> || (++number, false)) || ...));
  return number;
}

template <class... Types>
constexpr std::size_t size_of(List<Types...>) {
  return sizeof...(Types);
}

/// Has no members. So the compiler prints this name, with the type and the list that lacks it.
template <class Type>
struct TheGameDoesNotList {};

// kNumberInKinds<Game, Type> is the number of a type in Game::Kinds. The other lists have the like.
#define TICKBOX_NUMBER_IN(NAME)                                        \
  template <class Game, class Type>                                    \
  inline constexpr std::size_t kNumberIn##NAME = [] {                  \
    constexpr std::size_t kNumber = number_in<Type>(NAME##Of<Game>{}); \
    if constexpr (kNumber == size_of(NAME##Of<Game>{})) {              \
      return typename TheGameDoesNotList<Type>::add_it_to_##NAME{};    \
    } else {                                                           \
      return kNumber;                                                  \
    }                                                                  \
  }()

TICKBOX_NUMBER_IN(Kinds);
TICKBOX_NUMBER_IN(Outcomes);
TICKBOX_NUMBER_IN(Events);
TICKBOX_NUMBER_IN(Commands);
TICKBOX_NUMBER_IN(Results);
#undef TICKBOX_NUMBER_IN

}  // namespace detail

/// The tick as all callbacks see it: time, units, and the map.
using Moment = detail::Moment;

/// What a callback can do on server and client. Each function that looks for entities joins what it
/// finds and the entity whose callback runs into one island.
template <class Game>
class Step : public detail::AnyStep {
 public:
  explicit Step(const detail::AnyStep& any) : AnyStep(any) {}

  /// Returns the room's state at the start of the tick. Only the server changes it.
  [[nodiscard]] const auto& room() const {
    return *static_cast<const detail::RoomOf<Game>*>(this->room_row());
  }

  template <class Kind>
  [[nodiscard]] std::optional<Entity<Kind>> find(Ref who) const {
    const detail::Row row = this->find_row(who, kNumber<Kind>);
    if (row.state == nullptr) return std::nullopt;
    return row.as<Kind>();
  }

  /// Calls visit(Entity<Kind>) for the entities of a kind that overlap a box, by id. A size of 0
  /// counts as one sub-unit.
  template <class Kind, class Visit>
  void for_each_in(Vec2 min, Vec2 size, Visit&& visit) const {
    const auto call = [](void* captured, const detail::Row& row) {
      (*static_cast<std::remove_reference_t<Visit>*>(captured))(row.as<Kind>());
    };
    this->visit_rows(min, size, kNumber<Kind>, {.call = call, .captured = &visit});
  }

  /// Returns the entity that for_each_in() visits first. All that it visits are joined.
  template <class Kind>
  [[nodiscard]] std::optional<Entity<Kind>> first_in(Vec2 min, Vec2 size) const {
    std::optional<Entity<Kind>> first;
    for_each_in<Kind>(min, size, [&first](const Entity<Kind>& it) {
      if (!first) first.emplace(it);
    });
    return first;
  }

  /// Spawns a child of the entity whose callback runs. Server and client derive its id alike. Does
  /// nothing beyond 256 spawns of one lineage in a tick.
  template <class Kind>
  void spawn(const Kind& state, Vec2 min, Vec2 velocity = {},
             Parent parent = Parent::Collides) const {
    this->spawn_row(kNumber<Kind>, &state, min, velocity, parent);
  }

  /// Sends an event, in order and once, to each player who sees the place of `at`, who controls or
  /// owns `at`, or whom a field of the event names. What all players must know is kept in Room. A
  /// client for which 128 events wait loses further ones.
  template <class Event>
  void emit(Ref at, const Event& event) const {
    this->emit_row(at, detail::kNumberInEvents<Game, Event>, &event);
  }

 private:
  template <class Kind>
  static constexpr std::size_t kNumber = detail::kNumberInKinds<Game, Kind>;
};

/// What the hooks of the live server can do. All that they change is an outcome: the tick log has
/// it, and a replay carries it out without the hooks.
template <class Game>
class Server : public detail::AnyServer {
 public:
  using AnyServer::AnyServer;

  template <class Kind>
  [[nodiscard]] std::optional<ConstEntity<Kind>> find(Ref who) const {
    const detail::Row row = this->find_row(who, kNumber<Kind>);
    if (row.state == nullptr) return std::nullopt;
    return row.as_const<Kind>();
  }

  /// Calls visit(ConstEntity<Kind>) for all entities of a kind, by id. What was spawned in
  /// the same phase is not among them.
  template <class Kind, class Visit>
  void for_each(Visit&& visit) const {
    const auto call = [](void* captured, const detail::Row& row) {
      (*static_cast<std::remove_reference_t<Visit>*>(captured))(row.as_const<Kind>());
    };
    this->visit_rows(kNumber<Kind>, {.call = call, .captured = &visit});
  }

  /// Returns the number of entities that for_each() visits.
  template <class Kind>
  [[nodiscard]] std::int32_t count() const {
    return this->count_rows(kNumber<Kind>);
  }

  /// Returns the entity that for_each() visits first.
  template <class Kind>
  [[nodiscard]] std::optional<ConstEntity<Kind>> first() const {
    const detail::Row row = this->first_row(kNumber<Kind>);
    if (row.state == nullptr) return std::nullopt;
    return row.as_const<Kind>();
  }

  /// Removes the entities that for_each() visits.
  template <class... Kinds>
  void remove_all() const {
    (for_each<Kinds>([this](const ConstEntity<Kinds>& it) { this->remove(it.ref); }), ...);
  }

  /// Returns the first avatar of a player. What was spawned in the same phase does not count.
  [[nodiscard]] std::optional<ConstEntity<typename Game::Avatar>> avatar(Player who) const {
    const detail::Row row = this->avatar_row(who, kNumber<typename Game::Avatar>);
    if (row.state == nullptr) return std::nullopt;
    return row.as_const<typename Game::Avatar>();
  }

  /// Returns the events of a type that were emitted in this tick, in order. What apply() emits
  /// while a hook decides comes after the hook.
  template <class Event>
  [[nodiscard]] std::span<const Event> events() const {
    const detail::EventRows rows = this->event_rows(detail::kNumberInEvents<Game, Event>);
    return {static_cast<const Event*>(rows.first), rows.count};
  }

  /// Spawns an entity that nobody controls. Returns Ref{}, and does nothing, if the room is full.
  /// It is full if the entities that were there when the tick began, and those that the server has
  /// spawned since, are 16,384 together. `velocity`: in sub-units per tick, as speed() returns it.
  template <class Kind>
  Ref spawn(const Kind& state, Vec2 min, Vec2 velocity = {}) const {
    return this->spawn_row({}, kNumber<Kind>, &state, min, velocity, kNoPath);
  }

  /// Spawns one that moves on a path of the map.
  template <class Kind>
  Ref spawn(const Kind& state, Vec2 min, std::uint16_t path) const {
    return this->spawn_row({}, kNumber<Kind>, &state, min, {}, path);
  }

  /// Spawns an entity that a player controls. A player may control several. They are removed when
  /// the player leaves. Returns Ref{} as spawn() does. Requires: has(who); at most 256 of a player
  /// in a tick.
  template <class Kind>
  Ref spawn_avatar(Player who, const Kind& state, Vec2 min, Vec2 velocity = {}) const {
    return this->spawn_row(who, kNumber<Kind>, &state, min, velocity, kNoPath);
  }

  /// Runs Game::apply(me, outcome, step) for an entity: here at once, and in every replay at the
  /// same point. Does nothing for an entity that does not exist.
  template <class Outcome>
  void decide(Ref whom, const Outcome& outcome) const {
    this->decide_row(whom, detail::kNumberInOutcomes<Game, Outcome>, &outcome);
  }

  /// Publishes a result of the match, such as a round that has ended: a line in the server's log
  /// and, with --match-results, in a file for the backend. It changes nothing.
  template <class Result>
  void publish_result(const Result& result) const {
    this->publish_row(detail::kNumberInResults<Game, Result>, &result);
  }

  /// The state of a player, such as its score. Step cannot read it. Requires: has(who).
  [[nodiscard]] auto& seat(Player who) const {
    return *static_cast<detail::SeatOf<Game>*>(this->seat_row(who));
  }

  /// The state of the room, which every client has: Step::room() reads it.
  [[nodiscard]] auto& room() const {
    return *static_cast<detail::RoomOf<Game>*>(this->own_room_row());
  }

  /// State that no client receives.
  [[nodiscard]] auto& secret() const {
    return *static_cast<detail::SecretOf<Game>*>(this->secret_row());
  }

 private:
  template <class Kind>
  static constexpr std::size_t kNumber = detail::kNumberInKinds<Game, Kind>;
};

/// What a bot sees: the newest view of its client, its own entities as predicted, and the map. The
/// bot's draws and its BotState are no part of the match.
template <class Game>
class BotView : public detail::AnyBotView {
 public:
  using AnyBotView::AnyBotView;

  /// Returns the room's state in the newest view.
  [[nodiscard]] const auto& room() const {
    return *static_cast<const detail::RoomOf<Game>*>(this->room_row());
  }

  /// Returns an entity of the newest view.
  template <class Kind>
  [[nodiscard]] std::optional<ConstEntity<Kind>> find(Ref who) const {
    const detail::SeenRow* row = this->find_row(who, kNumber<Kind>);
    if (row == nullptr) return std::nullopt;
    return row->as<Kind>();
  }

  /// Calls visit(ConstEntity<Kind>) for the entities of a kind in the newest view, by id. The
  /// player's own entities are among them, as the server had them in the view's tick.
  template <class Kind, class Visit>
  void for_each(Visit&& visit) const {
    visit_rows<Kind>(this->seen_rows(), visit);
  }

  /// Returns the number of entities that for_each() visits.
  template <class Kind>
  [[nodiscard]] std::int32_t count() const {
    std::int32_t count = 0;
    for_each<Kind>([&count](const ConstEntity<Kind>&) { ++count; });
    return count;
  }

  /// Returns the entity that for_each() visits first.
  template <class Kind>
  [[nodiscard]] std::optional<ConstEntity<Kind>> first() const {
    return first_row<Kind>(this->seen_rows());
  }

  /// Returns the player's first avatar as predicted; none before the first view with one.
  [[nodiscard]] std::optional<ConstEntity<typename Game::Avatar>> own() const {
    return first_row<typename Game::Avatar>(this->own_rows());
  }

  /// Sends a command with the input of this tick; of several in a tick the last. A bot sends at
  /// most ten a second: within 100 ms after a command this function does nothing.
  template <class Command>
  void command(const Command& command) const {
    this->give_command(detail::kNumberInCommands<Game, Command>, &command, sizeof(Command));
  }

  /// Calls visit(ConstEntity<Kind>) for the entities of a kind that the player controls, by id, as
  /// predicted.
  template <class Kind, class Visit>
  void for_each_own(Visit&& visit) const {
    visit_rows<Kind>(this->own_rows(), visit);
  }

 private:
  template <class Kind>
  static constexpr std::size_t kNumber = detail::kNumberInKinds<Game, Kind>;

  template <class Kind>
  static std::optional<ConstEntity<Kind>> first_row(std::span<const detail::SeenRow> rows) {
    for (const detail::SeenRow& row : rows) {
      if (row.kind == kNumber<Kind>) return row.as<Kind>();
    }
    return std::nullopt;
  }

  template <class Kind, class Visit>
  static void visit_rows(std::span<const detail::SeenRow> rows, Visit& visit) {
    for (const detail::SeenRow& row : rows) {
      if (row.kind == kNumber<Kind>) visit(row.as<Kind>());
    }
  }
};

namespace detail {
struct MapParts;  // of the engine
}  // namespace detail

/// Builds the map before the room opens.
class MapBuilder {
 public:
  explicit MapBuilder(detail::MapParts& parts) : parts_(&parts) {}

  void solid(Vec2 min, Vec2 size);

  /// A ledge that is solid from one side only.
  void one_way(Vec2 min, Vec2 size, OneWay side);

  /// Tiles row by row from `min`, 0 for an empty one. Requires: `columns` ≥ 1 divides the number of
  /// tiles.
  void tiles(Vec2 min, std::int32_t columns, std::span<const std::uint8_t> solid,
             std::int32_t tile_size = kUnit);

  /// The border of the map: four walls around a box, or a box outside of which entities are
  /// removed.
  void border(Vec2 min, Vec2 size, Border border);

  /// Adds a path there and back, for entities that Server::spawn() puts on it, and returns its
  /// index. `speed`: units per second.
  std::uint16_t path(std::span<const Vec2> points, std::int32_t speed);

  /// A place that rules find by Moment::objects().
  void object(std::string_view kind, Vec2 min, Vec2 size = {}, std::uint16_t path = kNoPath);

 private:
  detail::MapParts* parts_;
};

/// Which entities of a kind a client predicts, so that its own avatar meets them without delay.
enum class Predict : std::uint8_t {
  Near,     ///< those near its own entities
  OwnOnly,  ///< those that its player owns
  Never,
};

/// The most maps that a game lists.
inline constexpr std::size_t kMapsMax = 16;

/// What a map is made for.
struct MapOptions {
  std::uint32_t seats = 0;
  std::string_view name{};  ///< one of Game::maps; empty if the game lists none
};

// clang-format off
// What a game must define: `name` and `version`; the types `Input`, `Avatar` (the kind that
// players control) and `Kinds`, a List<...>; map(builder, options) and join(server, player); and
// for each kind body(state), and top_speed(state) in units per second, which is constexpr. All
// types are declared by TICKBOX_FIELDS. Raise `version` with each change of the rules: both ends
// of a match have the same version. The concept GameRules (adapter.h) asks for this.
//
// What a game can define. Functions that take an entity, and predict, possible and look, are
// defined per kind, text per event:
//
//   act(me, input, step) or act(me, step)   before the physics
//   contact(a, b, contact, step)            the begin of a contact or overlap of two entities
//   wall(me, contact, step)                 the begin of a contact with a wall or the border
//   after(me, step)                         after the physics
//   apply(me, outcome, step)                an outcome of the server
//   ray(me, input, moment)                  a beam that strikes at once: returns optional<Ray>. It
//                                           takes a ConstEntity and a Moment: it changes nothing
//   struck(it, shooter, step)               the entity that the ray strikes
//   crushed(me, step)                       by a kinematic body
//   left(me, step)                          has left the map's border, and is removed
//   open(server), leave(server, player), decide(server)
//   command(server, player, command)        what a player asks beside its inputs
//   Outcomes, Events, Commands, Results     lists of types: what decide() decides, emit() emits,
//                                           players ask, and publish_result() publishes
//   Seat, Room, Secret                      the state of each player, that of the room, and state
//                                           that no client receives; Empty by default
//   significant(input, avatar)              returns the Input without what has no effect now
//   sight(avatar)                           half the extent of a player's view, as a Vec2
//   predict(state)                          returns Predict, Near by default; constexpr
//   possible(state)                         returns whether a state that is received can be
//   gravity                                 units per s², down
//   bot(view, memory, style)                returns the Input of a bot, which a client runs. Takes
//                                           a BotView, a BotState& and one of bot_styles
//   bot_styles                              names of letters a to z and dashes, as a constexpr
//                                           array of std::string_view
//   BotState                                what a bot remembers between ticks; Empty by default
//   maps                                    names of letters a to z and dashes, as a constexpr
//                                           array of std::string_view: map() builds the one that
//                                           its options name. The first is played by default
//   moves                                   a constexpr bool: whether a match goes on at another
//                                           server when its server hands the players over. By
//                                           default it ends there, and the players begin another
//   keys                                    for a person (keys.h), as a constexpr array or tuple
//                                           of Key
//   look(state)                             returns the Look of an entity in a picture
//   label(room)                             returns the Caption over the match
//   text(event)                             returns the Caption that tells an event
// clang-format on
}  // namespace tickbox
