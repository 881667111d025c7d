#pragma once
// The rows of a tick as bits. Many clients see the same rows, so each is packed once, when the
// first plan asks for it; snapshots have copies of the bits.
//
// Only the place of a row depends on the snapshot, by the snapshot's origin. A row is packed with
// its own place as the origin, so the bits of the place are zeros. A copy has the bits of the place
// from the snapshot's origin instead.

#include "engine/bits.h"
#include "engine/world.h"
#include "server/match/plan/slot_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

/// The bits of a row in full.
struct RowBits {
  std::uint16_t id = 0;
  std::uint16_t row = 0;  ///< near the origin, without the id
};

class PackedRows {
 public:
  /// Forgets all rows, to begin with those of `world`. `slots`: the limit of its slots.
  void begin(const engine::World& world, std::size_t slots);

  /// Returns the size of a row. `slot`: of the body of world row `row`. Cost: packed once a tick.
  [[nodiscard]] RowBits bits_of(SlotId slot, std::size_t row) { return packed(slot, row).bits; }

  void write_id(SlotId slot, std::size_t row, engine::BitWriter& out);

  /// Writes the row without its id. `origin`: of the places in the snapshot.
  void write_row(SlotId slot, std::size_t row, Vec2 origin, engine::BitWriter& out);

 private:
  struct Packed {
    std::uint32_t id = 0;   ///< the first of its words
    std::uint32_t row = 0;  ///< the same
    RowBits bits;
  };

  const Packed& packed(SlotId slot, std::size_t row) {
    return rows_.contains(slot) ? rows_[slot] : pack(slot, row);
  }

  const Packed& pack(SlotId slot, std::size_t row);

  const engine::World* world_ = nullptr;
  SlotTable<Packed> rows_;
  std::vector<std::uint64_t> words_;
  std::vector<std::byte> bytes_;  ///< scratch memory
};

}  // namespace tickbox::server
