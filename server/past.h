#pragma once
// What a room's last ticks were: every entity and its hash, shared by all who ask what somebody saw
// then.

#include "core/ids.h"
#include "game/entity_state.h"
#include "game/world.h"
#include "server/lives.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

struct PastTick {
  std::optional<Tick> tick;
  std::vector<game::EntityState> entities;  ///< by id
  std::vector<std::uint64_t> hashes;        ///< one for one
};

class Past {
 public:
  void reserve(std::size_t entities);

  /// Takes over the world as it is after its tick; the one of kTicksRemembered ticks before is
  /// forgotten.   Cost: no allocation once warm.
  void note(const game::World& world);

  /// The tick noted last.  Requires: one was.
  [[nodiscard]] const PastTick& newest() const { return ticks_[newest_]; }

  /// A tick of the last kTicksRemembered, or nullptr.
  [[nodiscard]] const PastTick* find(Tick tick) const;

 private:
  std::array<PastTick, kTicksRemembered> ticks_;
  std::size_t newest_ = 0;
};

}  // namespace tickbox::server
