#pragma once
// The bodies of a room as long as anybody may still speak of them: each has a small number, from
// its birth until some ticks after it is gone.
//
// Views, islands and causes of the last ticks name bodies by these numbers, so that sets of them
// are arrays and looking one up costs nothing.

#include "core/ids.h"
#include "game/entity_state.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The number of a body's life; given again protocol::kTicksRemembered after it has ended: so no
/// view that still counts names a life that has been given again. (A body that waits to come into
/// view may, and inherits a priority.)
using LifeId = std::uint32_t;
inline constexpr LifeId kNoLife = 0xffff'ffff;

/// How old a base may be, in ticks: a second, and what fits a snapshot's causes.
[[nodiscard]] constexpr std::uint32_t base_age_max(std::uint32_t tick_rate) {
  return std::clamp(tick_rate, 24U, protocol::kBaseAgeMax);
}

struct Life {
  BodyId id;
  Tick born;                ///< the first tick that has it
  Tick gone;                ///< the first tick without it; 0 while it is there
  bool left = false;        ///< was taken out with its player: no rule of the game says so
  std::uint32_t index = 0;  ///< among the room's entities, while it is there

  [[nodiscard]] bool is_there() const { return gone.value == 0; }
};

class Lives {
 public:
  /// Makes room for so many lives at once, those that are remembered included.
  void reserve(std::size_t lives);

  /// Takes over what a tick has left. `entities` by id.
  void update(Tick tick, std::span<const game::EntityState> entities);

  [[nodiscard]] const Life& of(LifeId life) const { return lives_[life]; }

  /// Numbers are below this.
  [[nodiscard]] std::size_t size() const { return lives_.size(); }

  /// And below this as long as there is room.
  [[nodiscard]] std::size_t capacity() const { return lives_.capacity(); }

  /// The lives of the room's entities, in their order.
  [[nodiscard]] std::span<const LifeId> present() const { return present_; }

  /// Begun with this tick; by id.
  [[nodiscard]] std::span<const LifeId> born() const { return born_; }

  /// Ended with this tick; by id.
  [[nodiscard]] std::span<const LifeId> gone() const { return gone_; }

  /// The life of a body that was there before this tick or is there after it, or kNoLife.
  [[nodiscard]] LifeId find(BodyId id) const;

 private:
  LifeId begin(Tick tick, BodyId id);
  void give_back(Tick tick);

  std::vector<Life> lives_;
  std::vector<LifeId> free_;
  std::vector<LifeId> ended_;  ///< not given back yet, in the order of their ends
  std::vector<LifeId> present_;
  std::vector<LifeId> before_;  ///< present_ of the tick before
  std::vector<LifeId> born_;
  std::vector<LifeId> gone_;
};

}  // namespace tickbox::server
