#pragma once
// The state hash of a match, kept up to date from tick to tick: a row that has not changed is not
// hashed again, unless it is kinematic or ignores its parent. Of rows at rest the world knows the
// hashes.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/world.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::engine {

class StateHasher {
 public:
  /// Returns state_hash(world). Cost: as hash_rows().
  std::uint64_t hash(const World& world) { return state_hash(world, hash_rows(world)); }

  /// Returns the sum of the hashes of a world's rows, and keeps those of the active ones.
  /// Cost: no allocation once warm; one comparison for each active row that is as in the last call.
  std::uint64_t hash_rows(const World& world);

  /// Returns the hash of an active row of the last world. `at`: its place in active_rows().
  [[nodiscard]] std::uint64_t active_hash(std::size_t at) const { return now_.rows[at].hash; }

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
};

}  // namespace tickbox::engine
