#pragma once
// Rows outside of a world: entities as they were after a tick, by id. Views, past states and
// reports of desyncs are such rows.
//
// The row of an avatar also has the input that its player holds: a replay of the avatar needs it.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/row.h"
#include "engine/row_codec.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::views {

using engine::RowHead;
using engine::RowRef;

using engine::is_controlled;
using engine::owner_of;
using engine::row_of;

/// Finds ids one after another, the lowest first: one pass over those that are searched.
class AscendingSearch {
 public:
  /// `ids`: ascending.
  explicit AscendingSearch(std::span<const BodyId> ids) : ids_(ids) {}

  /// Returns the index of an id, or the number of ids. Requires: no id that comes before the one
  /// that was sought last.
  [[nodiscard]] std::size_t index_of(BodyId id) {
    while (at_ < ids_.size() && ids_[at_] < id) {
      ++at_;
    }
    return at_ < ids_.size() && ids_[at_] == id ? at_ : ids_.size();
  }

  [[nodiscard]] bool contains(BodyId id) { return index_of(id) != ids_.size(); }

 private:
  std::span<const BodyId> ids_;
  std::size_t at_ = 0;
};

class Rows {
 public:
  Rows() = default;
  explicit Rows(const GameTable& game);

  [[nodiscard]] std::size_t size() const { return ids_.size(); }

  [[nodiscard]] bool empty() const { return ids_.empty(); }

  /// Returns the number of rows for which there is memory.
  [[nodiscard]] std::size_t capacity() const { return ids_.capacity(); }

  [[nodiscard]] std::span<const RowHead> heads() const { return std::span{heads_}.first(size()); }

  /// The ids of all rows, side by side: most searches look at nothing else.
  [[nodiscard]] std::span<const BodyId> ids() const { return ids_; }

  [[nodiscard]] BodyId id(std::size_t row) const { return ids_[row]; }

  [[nodiscard]] const RowHead& head(std::size_t row) const { return heads_[row]; }

  [[nodiscard]] ConstBytes state(std::size_t row) const {
    return ConstBytes{states_}.subspan(row * state_stride_, kind_of(row).type.bytes);
  }

  [[nodiscard]] ConstBytes input(std::size_t row) const {
    if (!is_controlled(ids_[row])) return {};
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

  void reserve(std::size_t rows) { reserve(rows, rows); }

  /// Appends a row. Requires: an avatar comes before all that are none.
  void add(const RowRef& row);

  /// Replaces all rows by those of a world.
  void assign(const engine::World& world);

  /// Replaces the active rows by those of a world. Requires: the others are as assign() makes them.
  void assign_active(const engine::World& world);

  /// Returns the index of an entity, or size(). Requires: the rows ascend by id. Cost: one binary
  /// search.
  [[nodiscard]] std::size_t index_of(BodyId id) const;

  [[nodiscard]] bool contains(BodyId id) const { return index_of(id) != size(); }

 private:
  void reserve(std::size_t rows, std::size_t avatars);
  void make_space(std::size_t rows, std::size_t avatars);
  void assign_state(const engine::World& world, std::size_t row);
  void assign_input(const engine::World& world, std::size_t row);

  const GameTable* game_ = nullptr;
  std::size_t state_stride_ = 0;
  std::size_t input_stride_ = 0;
  std::vector<BodyId> ids_;
  // These lists never shrink. What is behind the last row has no meaning.
  std::vector<RowHead> heads_;
  std::vector<std::byte> states_;
  std::vector<std::byte> inputs_;  ///< of the avatars: they come first
};

/// Returns whether two rows have the same values, also those of the inputs.
[[nodiscard]] bool are_equal(const GameTable& game, const RowRef& a, const RowRef& b);

/// Adds rows whose ids ascend to a world, all or none; that of an avatar takes its seat, with its
/// input. Returns false if one is a row that no server of this game can have written, of a seat
/// that the map has not, or of an entity that is there already.
[[nodiscard]] bool add_all(engine::World& world, std::span<const RowRef> rows);

/// Writes a member of a view without its id: its row, and of an avatar the input.
void write_member(const GameTable& game, const RowRef& row, Vec2 origin, engine::BitWriter& out);

/// Appends a row that was read, and of an avatar the input, which follows the row. Fails: false,
/// without a row, and for an input that no writer writes.
[[nodiscard]] bool add_member(std::optional<RowRef> row, engine::BitReader& in, Rows& rows);

/// Returns the hash of what a view has of a row. A view's hash is the sum of those of its members
/// and of its room.
[[nodiscard]] std::uint64_t member_hash(const engine::World& world, std::size_t row,
                                        std::uint64_t entity_hash);

/// Returns the hash of the view of all rows of a world.
[[nodiscard]] std::uint64_t view_hash(const engine::World& world);

}  // namespace tickbox::views
