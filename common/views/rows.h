#pragma once
// Rows outside of a world: entities as they were after a tick, by id. Views, past states and
// reports of desyncs are such rows.
//
// The row of an avatar also has the input that its player holds: who replays the avatar needs it.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/entity_id.h"
#include "engine/world.h"
#include "sim/body.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::views {

/// What a row has beside its declared state. Positions in sub-units, velocities in sub-units per
/// tick.
struct RowHead {
  BodyId id;
  BodyId carrier = sim::kNoBody;
  BodyId ignores = sim::kNoBody;  ///< valid unless `parent` is Collides
  Vec2 min;
  Vec2 velocity;
  std::uint32_t path_ticks = 0;
  std::uint16_t path = kNoPath;
  std::uint8_t kind = 0;
  Parent parent = Parent::Collides;
  bool is_new = false;

  friend bool operator==(const RowHead&, const RowHead&) = default;
};

/// Returns who controls an entity, or owns it: the id says so.
[[nodiscard]] constexpr Player owner_of(BodyId id) {
  const std::uint32_t lineage = engine::lineage_of(id);
  return lineage < engine::kSeatsMax ? Player{static_cast<std::uint16_t>(lineage)} : Player{};
}

[[nodiscard]] constexpr bool is_avatar(BodyId id) {
  return engine::class_of(id) == engine::IdClass::Avatar;
}

/// One row, wherever it is; valid as long as it is there.
struct RowRef {
  RowHead head;
  ConstBytes state;  ///< as many bytes as its kind has
  ConstBytes input;  ///< of an avatar; else empty
};

/// Returns a row of a world.
[[nodiscard]] RowRef row_of(const engine::World& world, std::size_t row);

class Rows {
 public:
  Rows() = default;
  explicit Rows(const GameTable& game);

  [[nodiscard]] std::size_t size() const { return heads_.size(); }

  [[nodiscard]] bool empty() const { return heads_.empty(); }

  [[nodiscard]] std::span<const RowHead> heads() const { return heads_; }

  [[nodiscard]] const RowHead& head(std::size_t row) const { return heads_[row]; }

  [[nodiscard]] ConstBytes state(std::size_t row) const {
    return ConstBytes{states_}.subspan(row * state_stride_, kind_of(row).type.bytes);
  }

  [[nodiscard]] ConstBytes input(std::size_t row) const {
    if (!is_avatar(heads_[row].id)) return {};
    return ConstBytes{inputs_}.subspan(row * input_stride_, game_->input.bytes);
  }

  [[nodiscard]] RowRef row(std::size_t row) const {
    return {.head = heads_[row], .state = state(row), .input = input(row)};
  }

  [[nodiscard]] const KindTable& kind_of(std::size_t row) const {
    return game_->kinds[heads_[row].kind];
  }

  [[nodiscard]] const GameTable& game() const { return *game_; }

  /// Removes all rows, to begin with those of a game; keeps the memory.
  void begin(const GameTable& game);
  void clear();

  void reserve(std::size_t rows);

  /// Appends a row. The order of ids is the caller's.
  void add(const RowRef& row);

  /// Replaces all rows by those of a world.
  void assign(const engine::World& world);

  /// Returns the index of an entity, or size(). Requires: by id. Cost: one binary search.
  [[nodiscard]] std::size_t index_of(BodyId id) const;

  [[nodiscard]] bool contains(BodyId id) const { return index_of(id) != size(); }

 private:
  const GameTable* game_ = nullptr;
  std::size_t state_stride_ = 0;
  std::size_t input_stride_ = 0;
  std::vector<RowHead> heads_;
  std::vector<std::byte> states_;
  std::vector<std::byte> inputs_;
};

/// Returns whether two rows have the same values, also those of the inputs.
[[nodiscard]] bool are_equal(const GameTable& game, const RowRef& a, const RowRef& b);

/// Returns whether a world can take a row that was received: a state that a server of this game can
/// have written, of a seat that the map has, and no entity with this id.
[[nodiscard]] bool can_add(const engine::World& world, const RowRef& row);

/// Adds a row to a world; that of an avatar takes its seat, with its input. Requires: can_add().
void add_to(engine::World& world, const RowRef& row);

/// Returns the hash of what a view has of a row. A view's hash is the sum of those of its members
/// and of its room.
[[nodiscard]] std::uint64_t member_hash(const engine::World& world, std::size_t row,
                                        std::uint64_t entity_hash);

}  // namespace tickbox::views
