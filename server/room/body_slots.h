#pragma once
// The bodies of a room, each with a small number from its spawn until some ticks after its despawn.
//
// Views, islands and causes of the last ticks name bodies by these numbers. A set of bodies is
// therefore an array, and looking one up costs nothing.

#include "core/ids.h"
#include "game/entity_state.h"
#include "protocol/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// The number of a life: a body from its spawn to its despawn. It is reused
/// protocol::kTicksRemembered ticks after the despawn, so that no view in use names a reused
/// number. (The list of deferred bodies can name one; the new body then inherits the priority.)
using LifeId = std::uint32_t;
inline constexpr LifeId kNoLife = 0xffff'ffff;

/// Returns the greatest age of a base, in ticks: one second, but at least 24 ticks, and at most
/// what the causes of a snapshot can encode.
[[nodiscard]] constexpr std::uint32_t base_age_max(std::uint32_t tick_rate) {
  return std::clamp(tick_rate, 24U, protocol::kBaseAgeMax);
}

struct Life {
  BodyId id;
  Tick born;          ///< the first tick with the body
  Tick gone;          ///< the first tick without the body; 0 while it is present
  bool left = false;  ///< removed because its player left: the rules of the game do not show it
  std::uint32_t index = 0;  ///< index among the room's entities, while present

  [[nodiscard]] bool is_there() const { return gone.value == 0; }
};

class Lives {
 public:
  /// Reserves memory for this number of lives at once, including ended lives still remembered.
  void reserve(std::size_t lives);

  /// Updates the lives to the entities after a tick. `entities`: sorted by id.
  void update(Tick tick, std::span<const game::EntityState> entities);

  [[nodiscard]] const Life& of(LifeId life) const { return lives_[life]; }

  /// Returns the limit of the numbers: each is below it.
  [[nodiscard]] std::size_t size() const { return lives_.size(); }

  /// Returns the reserved limit: numbers stay below it while the reserved memory suffices.
  [[nodiscard]] std::size_t capacity() const { return lives_.capacity(); }

  /// Returns the lives of the room's entities, in the same order.
  [[nodiscard]] std::span<const LifeId> present() const { return present_; }

  /// Returns the lives that began in this tick, sorted by body id.
  [[nodiscard]] std::span<const LifeId> born() const { return born_; }

  /// Returns the lives that ended in this tick, sorted by body id.
  [[nodiscard]] std::span<const LifeId> gone() const { return gone_; }

  /// Returns the life of a body that was present before or is present after this tick, or kNoLife.
  [[nodiscard]] LifeId find(BodyId id) const;

 private:
  LifeId begin(Tick tick, BodyId id);
  void give_back(Tick tick);

  std::vector<Life> lives_;
  std::vector<LifeId> free_;
  std::vector<LifeId> ended_;  ///< not free yet, in the order of their ends
  std::vector<LifeId> present_;
  std::vector<LifeId> before_;  ///< present_ of the tick before
  std::vector<LifeId> born_;
  std::vector<LifeId> gone_;
};

}  // namespace tickbox::server
