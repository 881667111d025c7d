#pragma once
// The rows of a world while a tick runs: which ones are removed, which entities are spawned, and
// where they all are.
//
// Spawned entities wait for the end of the phase. Removed rows stay in place until then, but
// nothing finds them.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/entity_id.h"
#include "engine/tick/space.h"
#include "engine/world.h"
#include "sim/box.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::engine {

/// Returns the box of a query: a side of 0 counts as one sub-unit.
[[nodiscard]] inline sim::Box query_box(Vec2 min, Vec2 size) {
  return sim::box_of(min, {std::max(size.x, 1), std::max(size.y, 1)});
}

class TickRows {
 public:
  /// How often something has happened in this tick.
  struct Count {
    std::uint64_t of = 0;  ///< the entity, or class and lineage
    std::uint32_t count = 0;
    BodyId first;  ///< of spawns: the entity that spawned first
  };

  /// Begins a tick of a world.
  void begin(World& world);

  /// Makes spawns and removals of the phase take effect.
  void end_phase();

  /// Returns the number of rows in this phase, removed ones included.
  [[nodiscard]] std::size_t size() const { return removed_.size(); }

  [[nodiscard]] bool is_removed(std::size_t row) const { return removed_[row] != 0; }

  /// Returns whether a row is of this kind, and not removed.
  [[nodiscard]] bool is_of_kind(std::size_t row, std::size_t kind) const {
    return world_->infos()[row].kind == kind && !is_removed(row);
  }

  /// Returns the row of an entity that is not removed; with `kind`, of one of this kind.
  [[nodiscard]] std::optional<std::size_t> find(Ref who) const;
  [[nodiscard]] std::optional<std::size_t> find(Ref who, std::size_t kind) const;

  /// Returns the first entity that a player controls, or Ref{}.
  [[nodiscard]] Ref first_entity_of(Player who) const;

  /// Returns whether an entity waits for the end of the phase.
  [[nodiscard]] bool is_pending(Ref who) const;

  /// Adds an entity at the end of the phase.
  void add(const RowHead& head, ConstBytes state);

  void remove(std::size_t row);

  /// Removes all entities that a player controls.
  void remove_avatars(Player player);

  /// Returns how many entities a room has beyond its limit.
  [[nodiscard]] std::size_t surplus() const;

  /// Returns the count of `of`, among counts that are sorted by it.
  static Count& count_of(std::vector<Count>& counts, std::uint64_t of);

  /// Returns the count of what a lineage has spawned in this tick.
  [[nodiscard]] Count& spawns_of(IdClass by, std::uint32_t lineage);

  // --- where they are ---

  /// Everything has moved: the next query files all places again.
  void invalidate_places() { is_filed_ = false; }

  [[nodiscard]] bool are_places_known() const { return is_filed_; }

  /// Files all places, unless they are known.
  void file_places();

  /// Files a row again that a callback may have moved. Requires: the places are known.
  void file_again(std::size_t row);

  /// Calls `visit(row)` for the rows that overlap a box, in no order. Leaves out rows of kinds for
  /// which wants(number, Space::Kind) is false, except fixed ones.
  template <class Wants, class Visit>
  void visit_overlapping(const sim::Box& box, Wants wants, Visit visit) {
    file_places();
    space_.visit(box, wants, [&](Space::Key key) {
      if (key < filed_rows_.size()) visit(std::size_t{filed_rows_[key]});
    });
    if (!world_->physics().has_fixed()) return;
    for (const std::size_t row : fixed_rows_in(box)) {
      visit(row);
    }
  }

  /// Returns whether no entity overlaps a box, also none that waits.
  [[nodiscard]] bool is_free(const sim::Box& box);

 private:
  /// A spawned entity that waits for the end of the phase.
  struct Pending {
    RowHead head;
    std::size_t first = 0;  ///< of its state in pending_states_
    Space::Key key = 0;
    bool is_dropped = false;  ///< its player has left in the same phase
  };

  [[nodiscard]] Space::Key key_of(std::size_t row) const;
  void file(std::size_t row);
  void file(const Pending& pending);
  [[nodiscard]] std::span<const std::size_t> fixed_rows_in(const sim::Box& box);

  World* world_ = nullptr;
  std::vector<std::uint8_t> removed_;  ///< by row
  bool has_removed_ = false;
  std::vector<Pending> pending_;
  std::vector<std::byte> pending_states_;
  std::vector<RowRef> adding_;  ///< scratch memory of end_phase()
  std::vector<Count> spawns_;

  /// The rows that are not fixed, and the spawned ones. The physics knows where the fixed ones are.
  Space space_;
  bool is_filed_ = false;
  std::vector<std::uint32_t> filed_rows_;  ///< by key
  std::vector<std::size_t> fixed_found_;
};

}  // namespace tickbox::engine
