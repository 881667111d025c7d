#pragma once
// The state of a match after a tick: entities as rows in the order of their ids, seats, and the
// states of room and secret.
//
// A row has an id, a kind, an owner, a place and a velocity, and the declared state of its kind.
// The place and velocity are those of its body in the physics; the states lie side by side at one
// stride. A World is a value: a copy steps as the original does.
//
// The physics has two tables of bodies: movers, and fixed bodies. A World notes which table has the
// body of a row. A step looks at the active rows alone: those that move, those of kinds that act,
// and fixed ones that have changed. The other rows are at rest, and cost a step nothing: their
// hashes are known.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/rng.h"
#include "engine/entity_id.h"
#include "engine/map.h"
#include "engine/row.h"
#include "sim/world.h"
#include "tickbox/game_table.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace tickbox::engine {

/// What a row has beside its body and its declared state.
struct RowInfo {
  std::uint8_t kind = 0;
  Parent parent = Parent::Collides;  ///< how long it ignores the body that Body::ignores names
  /// Spawned or teleported since the last physics: each of its contacts then begins.
  bool is_new = true;
  Player owner;
  // What contacts need of an active row; no part of the state.
  Vec2 min_before;       ///< when the tick began; a callback that moves the row makes it new
  Vec2 velocity_before;  ///< when the tick began
};

struct SeatInfo {
  std::uint32_t generation = 0;  ///< of the player: counts the joins
  bool taken = false;
  /// The game has set the focus; else the focus is the player's first entity.
  bool has_chosen_focus = false;
  Ref focus;         ///< the entity that the player's view is centred on, if it exists
  Vec2 focus_place;  ///< its centre after the last tick in which it existed, or the chosen place

  friend bool operator==(const SeatInfo&, const SeatInfo&) = default;
};

/// The order of the states in memory. Nothing that rules do may depend on it.
enum class StateOrder : std::uint8_t { Ascending, Descending };

class World {
 public:
  /// Makes an empty world at tick 0. `game` must live longer.
  World(const GameTable& game, SharedMap map, std::uint32_t tick_rate, std::uint64_t seed,
        StateOrder order = StateOrder::Ascending);

  Tick tick;
  Rng random;                     ///< the room's private sequence
  std::uint64_t shared_seed = 0;  ///< known to both ends: seeds Step::shared_random()
  std::uint32_t next_lineage = kSeatsMax;

  [[nodiscard]] const GameTable& game() const { return *game_; }

  [[nodiscard]] const SharedMap& map() const { return map_; }

  [[nodiscard]] std::uint32_t tick_rate() const { return tick_rate_; }

  [[nodiscard]] StateOrder state_order() const { return order_; }

  /// Returns the top speed of a kind, in sub-units per tick.
  [[nodiscard]] std::int32_t top_speed(std::size_t kind) const { return top_speeds_[kind]; }

  /// Returns a velocity that rules give to a body of a kind, limited to the kind's top speed. A
  /// body that a contact has made faster keeps its velocity `before`.
  [[nodiscard]] Vec2 limited(std::size_t kind, Vec2 velocity, Vec2 before) const {
    const auto limit = [top = top_speed(kind)](std::int32_t value, std::int32_t was) {
      const std::int32_t most = std::max(std::abs(was), top);
      return std::clamp(value, -most, most);
    };
    return {limit(velocity.x, before.x), limit(velocity.y, before.y)};
  }

  /// Requires: bodies are added and removed by the functions of World alone.
  [[nodiscard]] sim::PhysicsWorld& physics() { return physics_; }

  [[nodiscard]] const sim::PhysicsWorld& physics() const { return physics_; }

  // --- rows, by index in the order of ids ---

  [[nodiscard]] std::size_t size() const { return infos_.size(); }

  [[nodiscard]] BodyId id(std::size_t row) const { return ids_[row]; }

  /// The ids of all rows, ascending.
  [[nodiscard]] std::span<const BodyId> ids() const { return ids_; }

  /// The body of a row, valid until a body is changed, or rows are added or removed.
  [[nodiscard]] const sim::Body& body(std::size_t row) const {
    const Place place = places_[row];
    return place.is_fixed ? physics_.fixed().in_slot(place.index) : physics_.movers()[place.index];
  }

  [[nodiscard]] bool is_fixed(std::size_t row) const { return places_[row].is_fixed; }

  /// The place of a row's body among the movers. Requires: a row that is not fixed.
  [[nodiscard]] std::size_t mover_of(std::size_t row) const { return places_[row].index; }

  /// Calls change(body) with the body of a row. Requires: `change` keeps id and kind.
  /// Cost: none for a mover; for a fixed body that changes, FixedBodies::remove() and add().
  template <class Change>
  void change_body(std::size_t row, Change change) {
    if (!is_fixed(row)) return change(physics_.movers()[places_[row].index]);
    sim::Body body = this->body(row);
    change(body);
    replace_fixed(row, body);
  }

  [[nodiscard]] std::span<RowInfo> infos() { return infos_; }

  [[nodiscard]] std::span<const RowInfo> infos() const { return infos_; }

  [[nodiscard]] const KindTable& kind_of(std::size_t row) const {
    return game_->kinds[infos_[row].kind];
  }

  /// The declared state of a row, as many bytes as its kind has.
  [[nodiscard]] MutableBytes state(std::size_t row) {
    return MutableBytes{states_}.subspan(place_of(row), kind_of(row).type.bytes);
  }

  [[nodiscard]] ConstBytes state(std::size_t row) const {
    return ConstBytes{states_}.subspan(place_of(row), kind_of(row).type.bytes);
  }

  /// The declared state of a row in whole words: stride() bytes.
  [[nodiscard]] ConstBytes state_words(std::size_t row) const {
    return ConstBytes{states_}.subspan(place_of(row), stride_);
  }

  /// All states, each at stride() bytes, in the order of memory.
  [[nodiscard]] MutableBytes states() { return states_; }

  [[nodiscard]] ConstBytes states() const { return states_; }

  [[nodiscard]] std::size_t stride() const { return stride_; }

  /// The row as callbacks see it, valid until rows are added or removed. What is written into a
  /// fixed row has an effect with apply_written().
  [[nodiscard]] detail::Row row(std::size_t row) {
    detail::Row seen;
    see(row, seen);
    return seen;
  }

  /// Writes the row as row() returns it into `seen`, member by member: a processor waits when it
  /// copies a struct that it has just written. Returns whether the row is fixed.
  bool see(std::size_t row, detail::Row& seen) {
    const Place place = places_[row];
    seen.ref = ref_of(id(row));
    seen.owner = infos_[row].owner;
    seen.state = states_.data() + place_of(row);
    if (place.is_fixed) {
      seen.min = &fixed_rows_[place.index].min;
      seen.velocity = &fixed_rows_[place.index].velocity;
    } else {
      sim::Body& body = physics_.movers()[place.index];
      seen.min = &body.min;
      seen.velocity = &body.velocity;
    }
    return place.is_fixed;
  }

  /// Moves a fixed body to where its row() was written, within the world; its velocity stays (0,
  /// 0). Does nothing for other rows.
  void apply_written(std::size_t row) {
    if (is_fixed(row)) move_to_written(row);
  }

  /// The rows that a step looks at, ascending: those that are not fixed, those of kinds that act,
  /// and those that wake() or add() has named since rest().
  [[nodiscard]] std::span<const std::uint32_t> active_rows() const { return active_; }

  /// Makes a row active. Who changes a fixed row outside of a step wakes it.
  void wake(std::size_t row);

  /// Makes a row new, as if it had just been spawned.
  void make_new(std::size_t row) {
    infos_[row].is_new = true;
    may_have_new_ = true;
  }

  /// Whether a row may be new; if not, none is.
  [[nodiscard]] bool may_have_new() const { return may_have_new_; }

  /// Whether a row may ignore the one that spawned it; if not, none does.
  [[nodiscard]] bool may_ignore() const { return may_ignore_; }

  /// Call it when no row is new any more; `ignores`: a row still ignores its parent.
  void end_new(bool ignores) {
    may_have_new_ = false;
    may_ignore_ = ignores;
  }

  /// Puts to rest the fixed rows whose kinds do not act and that are neither new nor ignore a body.
  /// An avatar never rests: the input of its player changes.
  void rest();

  /// Changes with the set of rows, and with the set of those at rest. Until it changes, each row at
  /// rest is as it was, and each row keeps its index.
  [[nodiscard]] std::uint64_t rest_version() const { return rest_version_; }

  /// Returns the sum of entity_hash() of the rows at rest.
  [[nodiscard]] std::uint64_t resting_sum() const { return resting_sum_; }

  /// Returns the number of rows of a kind.
  [[nodiscard]] std::size_t rows_of_kind(std::size_t kind) const { return rows_of_kind_[kind]; }

  /// Returns entity_hash() of a row at rest. Requires: a row that is not active.
  [[nodiscard]] std::uint64_t resting_hash(std::size_t row) const {
    return fixed_rows_[places_[row].index].hash;
  }

  /// Returns the index of an entity, or size() if there is none with this id. Cost: one binary
  /// search.
  [[nodiscard]] std::size_t index_of(BodyId id) const;

  /// Returns the row of the first entity that a player controls, or size().
  [[nodiscard]] std::size_t avatar_of(Player player) const;

  /// Whether a row is one of the avatars of a player whose seat is taken. They stand side by side.
  [[nodiscard]] bool is_controlled_by(std::size_t row, Player player) const;

  /// Returns whether the physics and the game can have such an entity beside the others. The state
  /// is aligned, each value within its range.
  [[nodiscard]] bool can_add(const RowRef& row) const;

  /// Requires: can_add(). Cost: linear in the entities behind it.
  void add(const RowRef& row);

  /// Adds entities whose ids ascend, all or none. Returns false if one of them cannot be added.
  /// Cost: linear in them and in the entities behind the first of them.
  [[nodiscard]] bool add_all(std::span<const RowRef> rows);

  /// Removes the rows that are marked. Requires: a mark for each row.
  void remove_marked(std::span<const std::uint8_t> marked);
  /// Removes all rows; keeps the memory, seats, room and tick.
  void clear_rows();
  /// Gives the physics the properties that a row's state has now. Requires: a body that was fixed
  /// is fixed, and no other.
  void update_body(std::size_t row);

  // --- seats, room, secret ---

  [[nodiscard]] std::span<SeatInfo> seats() { return seats_; }

  [[nodiscard]] std::span<const SeatInfo> seats() const { return seats_; }

  [[nodiscard]] bool has(Player player) const {
    return player.seat < seats_.size() && seats_[player.seat].taken;
  }

  [[nodiscard]] MutableBytes seat_state(Player player) {
    return MutableBytes{seat_states_}.subspan(player.seat * seat_stride_, game_->seat.bytes);
  }

  [[nodiscard]] ConstBytes seat_state(Player player) const {
    return ConstBytes{seat_states_}.subspan(player.seat * seat_stride_, game_->seat.bytes);
  }

  /// The input that a player holds: every Press is up between ticks.
  [[nodiscard]] MutableBytes input(Player player) {
    return MutableBytes{inputs_}.subspan(player.seat * input_stride_, game_->input.bytes);
  }

  [[nodiscard]] ConstBytes input(Player player) const {
    return ConstBytes{inputs_}.subspan(player.seat * input_stride_, game_->input.bytes);
  }

  /// The input that a player holds, in whole words.
  [[nodiscard]] ConstBytes input_words(Player player) const {
    return ConstBytes{inputs_}.subspan(player.seat * input_stride_, input_stride_);
  }

  /// Centres a player's view on an entity, or with Ref{} on a place.
  void set_focus(Player player, Ref focus) {
    seats_[player.seat].focus = focus;
    follows_ = follows_ || focus != Ref{};
  }

  /// Whether a view was ever centred on an entity. Worlds of a part of a match have no such views.
  [[nodiscard]] bool follows() const { return follows_; }

  /// Occupies a seat with a new player, or frees it; its state and input are those by default.
  void occupy_seat(Player player);
  void free_seat(Player player);

  [[nodiscard]] MutableBytes room() { return room_; }

  [[nodiscard]] ConstBytes room() const { return room_; }

  [[nodiscard]] MutableBytes secret() { return secret_; }

  [[nodiscard]] ConstBytes secret() const { return secret_; }

 private:
  /// The place of a row's state among `rows` rows.
  [[nodiscard]] std::size_t place_of(std::size_t row, std::size_t rows) const {
    return (order_ == StateOrder::Ascending ? row : rows - 1 - row) * stride_;
  }

  [[nodiscard]] std::size_t place_of(std::size_t row) const { return place_of(row, size()); }

  /// Where the physics has the body of a row.
  struct Place {
    std::uint32_t index = 0;  ///< among the movers; of a fixed body its slot
    bool is_fixed = false;
  };

  /// What a fixed row has beside its body.
  struct FixedRow {
    Vec2 min;  ///< as callbacks have it: equal to that of the body between them
    Vec2 velocity;
    std::uint64_t hash = 0;  ///< when it came to rest; 0 before
  };

  [[nodiscard]] bool is_possible(const RowRef& row, const sim::Body& body) const;
  [[nodiscard]] bool make_bodies(std::span<const RowRef> rows);
  void insert_rows(std::span<const RowRef> rows);
  void insert_states(std::span<const RowRef> rows);
  void wake_inserted();
  [[nodiscard]] std::size_t movers_before(BodyId id) const;
  [[nodiscard]] bool acts(std::size_t row) const;
  void move_to_written(std::size_t row);
  void replace_fixed(std::size_t row, const sim::Body& body);
  void file_fixed(std::size_t row, std::uint64_t hash);

  const GameTable* game_;
  StateOrder order_;
  SharedMap map_;
  std::uint32_t tick_rate_;
  sim::PhysicsWorld physics_;
  std::size_t stride_;
  std::size_t seat_stride_;
  std::size_t input_stride_;
  std::vector<std::int32_t> top_speeds_;  ///< by kind
  std::vector<BodyId> ids_;
  std::vector<Place> places_;
  std::vector<RowInfo> infos_;
  std::vector<std::byte> states_;
  std::vector<std::uint32_t> active_;
  std::vector<FixedRow> fixed_rows_;  ///< by slot of the fixed body
  std::vector<std::size_t> rows_of_kind_;
  std::uint64_t rest_version_ = 0;
  std::uint64_t resting_sum_ = 0;
  std::vector<SeatInfo> seats_;
  bool follows_ = false;
  bool may_have_new_ = false;
  bool may_ignore_ = false;
  std::vector<std::byte> seat_states_;
  std::vector<std::byte> inputs_;
  std::vector<std::byte> room_;
  std::vector<std::byte> secret_;
  std::vector<BodyId> removed_;          ///< scratch memory of remove_marked()
  std::vector<sim::Body> new_bodies_;    ///< scratch memory of add_all()
  std::vector<std::uint32_t> inserted_;  ///< scratch memory of add_all(): the new rows
};

/// Writes the head of a row into `head`, member by member: a processor waits when it copies a
/// struct that it has just written.
inline void write_head(const World& world, std::size_t row, RowHead& head) {
  const sim::Body& body = world.body(row);
  const RowInfo& info = world.infos()[row];
  const bool is_kinematic = body.kind == sim::Kind::Kinematic;
  head.id = body.id;
  head.carrier = is_kinematic ? sim::kNoBody : body.carrier;
  head.ignores = info.parent != Parent::Collides ? body.ignores : sim::kNoBody;
  head.min = body.min;
  head.velocity = body.velocity;
  head.path_ticks = is_kinematic ? body.path_ticks : 0;
  head.path = is_kinematic ? body.path : kNoPath;
  head.kind = info.kind;
  head.parent = info.parent;
  head.is_new = info.is_new;
}

/// Returns the head of a row.
[[nodiscard]] inline RowHead head_of(const World& world, std::size_t row) {
  RowHead head;
  write_head(world, row, head);
  return head;
}

[[nodiscard]] RowRef row_of(const World& world, std::size_t row);

/// Returns XXH3-64 over one row, seeded with its id.
[[nodiscard]] std::uint64_t entity_hash(const World& world, std::size_t row);

/// Returns the hash of the whole state: of the sum of the hashes of all entities and seats, and of
/// the rest.
[[nodiscard]] std::uint64_t state_hash(const World& world);

/// Returns the hash of the whole state, from the sum of the hashes of all entities.
[[nodiscard]] std::uint64_t state_hash(const World& world, std::uint64_t sum_of_entities);

/// Returns the hash of the input that a player holds, seeded with its seat.
[[nodiscard]] std::uint64_t input_hash(const World& world, Player player);

/// Returns the sum of entity_hash() of these rows, and of input_hash() of the player of each avatar
/// among them.
[[nodiscard]] std::uint64_t sum_of_hashes(const World& world, std::span<const std::uint32_t> rows);

/// Returns the hash of the room's state.
[[nodiscard]] std::uint64_t room_hash(const World& world);

/// Returns the hash of what one player's seat has: generation, focus, state, input.
[[nodiscard]] std::uint64_t seat_hash(const World& world, Player player);

}  // namespace tickbox::engine
