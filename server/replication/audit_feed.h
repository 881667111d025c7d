#pragma once
// What auditors are told of a room, written once for all of them: the whole room, and of each tick
// what entered it.

#include "core/bytes.h"
#include "game/step.h"
#include "game/world.h"
#include "protocol/audit_codec.h"
#include "server/room/room.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {

class AuditFeed {
 public:
  /// Takes over where all sticks are, unless the last tick that was told is the present one.
  void begin(const game::World& world);

  /// Whether all ticks before this one have been told since begin().
  [[nodiscard]] bool follows(Tick tick) const { return told_ && *told_ + 1 == tick; }

  /// What entered the tick `told`, that was just stepped, and its hash. Valid until the next call.
  /// Requires: follows(told).  Cost: no allocation once warm.
  [[nodiscard]] ConstBytes tick(Tick told, const game::TickCommands& commands, std::uint64_t hash);

  /// The room as it is. Valid until the next call.
  [[nodiscard]] ConstBytes keyframe(const Room& room);

 private:
  std::optional<Tick> told_;
  std::vector<std::uint8_t> held_;  ///< by seat: where its stick is
  protocol::AuditTick tick_;
  protocol::AuditKeyframe keyframe_;
  std::vector<std::byte> tick_bytes_;
  std::vector<std::byte> keyframe_bytes_;
};

}  // namespace tickbox::server
