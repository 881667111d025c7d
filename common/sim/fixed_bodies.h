#pragma once
// The fixed bodies of one world: coins, bricks, doors. None of them moves, so a step only looks at
// those near a mover.
//
// The bodies themselves stay in their slots. The order of ids is a list of slots, so adding or
// removing one body moves no other. No result depends on slots or on the order of insertion.

#include "sim/body.h"
#include "sim/fixed_grid.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <vector>

namespace tickbox::sim {

/// The place of a fixed body that was added or removed.
struct FixedChange {
  Rect rect;
  bool is_ghost = false;
};

class FixedBodies {
 public:
  FixedBodies() = default;
  FixedBodies(const FixedBodies&) = default;
  FixedBodies(FixedBodies&&) = default;
  /// Becomes a copy of `other` in its own memory. A FixedWatch of these bodies then does not know
  /// what has changed.
  FixedBodies& operator=(const FixedBodies& other);
  FixedBodies& operator=(FixedBodies&&) = delete;
  ~FixedBodies() = default;

  [[nodiscard]] bool empty() const { return by_id_.empty(); }

  [[nodiscard]] std::size_t size() const { return by_id_.size(); }

  /// All bodies in the order of their ids.
  [[nodiscard]] auto by_id() const {
    return by_id_ | std::views::transform(
                        [this](const Named& named) -> const Body& { return bodies_[named.slot]; });
  }

  /// The body with this id, or nullptr. Cost: one binary search.
  [[nodiscard]] const Body* find(BodyId id) const;

  /// The slot of the body with this id, until it is removed. Requires: there is one.
  /// Cost: one binary search.
  [[nodiscard]] std::uint32_t slot_of(BodyId id) const;

  /// The body in a slot, as the grids name it. Requires: a slot in use.
  [[nodiscard]] const Body& in_slot(std::uint32_t slot) const { return bodies_[slot]; }

  /// The grid of the bodies that are no ghosts.
  [[nodiscard]] const FixedGrid& solids() const { return solids_; }

  /// The grid of the ghosts: the bodies that only report overlaps.
  [[nodiscard]] const FixedGrid& ghosts() const { return ghosts_; }

  /// Adds a body. Requires: Fixed, an unused id, values within the limits of Body.
  /// Cost: a binary search, and moving the ids after it: 16 bytes each.
  void add(const Body& body);

  /// Removes a body; returns false if none has this id. Cost: as add().
  bool remove(BodyId id);

  /// Removes all bodies and keeps the memory. A FixedWatch then does not know what has changed.
  void clear();

  /// A sum over the hashes of all bodies: the same in whatever order they were added. Cost: none.
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

  /// How many changes there have been.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }

  /// The changes since `serial`, or nothing if they are too many. Valid until the next change.
  [[nodiscard]] std::optional<std::span<const FixedChange>> changes_since(
      std::uint64_t serial) const;

 private:
  /// A body's id and where it is.
  struct Named {
    BodyId id;
    std::uint32_t slot = 0;
  };

  void record_change(const Body& body);

  std::vector<Body> bodies_;         ///< by slot
  std::vector<std::uint32_t> free_;  ///< slots that hold no body
  std::vector<Named> by_id_;
  FixedGrid solids_;
  FixedGrid ghosts_;
  std::uint64_t hash_ = 0;
  std::uint64_t serial_ = 0;
  std::vector<FixedChange> changes_;  ///< the last ones
};

/// The fixed bodies of a world, shared by its copies until one of them changes. It may be null
/// where there are none.
using SharedFixedBodies = std::shared_ptr<const FixedBodies>;

/// Follows fixed bodies from tick to tick.
class FixedWatch {
 public:
  /// The changes since the last call, or nothing if they are not known: other bodies, or too many
  /// changes. Valid until the next change.
  [[nodiscard]] std::optional<std::span<const FixedChange>> poll(const SharedFixedBodies& fixed);

 private:
  std::weak_ptr<const FixedBodies> seen_;  ///< weak, so that a change copies nothing
  std::uint64_t serial_ = 0;
};

}  // namespace tickbox::sim
