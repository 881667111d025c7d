#pragma once
// The views that a client holds of the last ticks: what snapshots are built on.

#include "game/entity_state.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace tickbox::client {

struct HeldView {
  Tick tick;
  std::vector<game::EntityState> entities;  ///< by id
};

class HeldViews {
 public:
  /// The view of `tick`, or nullptr.
  [[nodiscard]] const HeldView* find(Tick tick) const;

  /// The newest of all, or nullptr.
  [[nodiscard]] const HeldView* newest() const;

  /// Where the view of `tick` is to be written; it takes the place of one kViews ticks older.
  /// Requires: later than the newest.
  std::vector<game::EntityState>& add(Tick tick);

  /// Holds none any more. What they were is still there to be read, until the next add().
  void clear();

 private:
  /// More than net::kBaseAgeMax, whatever is on its way.
  static constexpr std::size_t kViews = 64;

  struct Slot {
    bool is_held = false;
    HeldView view;
  };

  std::array<Slot, kViews> slots_;  ///< by tick
  std::optional<Tick> newest_;
};

}  // namespace tickbox::client
