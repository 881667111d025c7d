#pragma once
// The state hash of a match, kept up to date from tick to tick: a row that has not changed is not
// hashed again, unless it is kinematic or ignores its parent. Of rows at rest the world knows the
// hashes.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::engine {

class StateHasher {
 public:
  /// Returns state_hash(world), and keeps the hashes of its rows. Cost: as hash_rows().
  std::uint64_t hash(const World& world) { return state_hash(world, hash_rows(world)); }

  /// Returns the sum of the hashes of a world's rows, and keeps each.
  /// Cost: no allocation once warm; one comparison for each active row that is as in the last call.
  std::uint64_t hash_rows(const World& world);

  /// Returns the hashes of the rows of the last world, in their order.
  [[nodiscard]] std::span<const std::uint64_t> row_hashes() const { return hashes_; }

 private:
  /// What a row had when it was hashed, beside its declared state.
  struct Row {
    BodyId id;
    BodyId carrier;
    Vec2 min;
    Vec2 velocity;
    RowInfo info;
    std::uint64_t hash = 0;
  };

  /// The active rows, by id, and their states at the world's stride.
  struct Rows {
    std::vector<Row> rows;
    std::vector<std::byte> states;
  };

  [[nodiscard]] bool is_unchanged(const World& world, std::size_t row, std::size_t before) const;
  [[nodiscard]] std::uint64_t hash_active(const World& world, std::size_t row, std::size_t at,
                                          std::size_t& before);

  Rows before_;
  Rows now_;
  std::vector<std::uint64_t> hashes_;  ///< of all rows
};

}  // namespace tickbox::engine
