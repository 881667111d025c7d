#pragma once
// The history of a match's last ticks from which snapshots are made: written once per tick, for all
// clients.
//
// It has the causes of each tick, already as bits: changed inputs by seat, outcomes and strikes by
// the body that they act on, and changes of the room's state. It has the pairs of bodies that have
// influenced each other in each tick, and makes of them the islands since a base.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/tick_ring.h"
#include "engine/tick_record.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "protocol/history_depths.h"
#include "server/match/body_slots.h"
#include "server/match/cause_history.h"
#include "server/match/change_history.h"
#include "server/match/islands.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// An outcome that was decided for a body, or a ray that struck it. If the payload has no bits, the
/// ray struck a body without a slot, a child of the body in `slot`. No snapshot can name it.
struct OutcomeCause {
  SlotId slot = kNoSlot;
  Payload payload;
  bool is_strike = false;
};

/// The spawn of a body by a callback. The body is there at the end of its first tick, or the server
/// has removed it in this tick: then it is still there where a client replays the spawn.
struct SpawnCause {
  SlotId slot;  ///< the body whose callback spawned it; if that has no slot, the body it comes from
  SlotId child;
};

class MatchHistory {
 public:
  /// `base_age_max`: the age in ticks of the oldest base for which islands are kept; below
  /// protocol::kTicksRemembered.
  MatchHistory(const engine::World& world, std::uint32_t base_age_max);

  /// Records the tick that was just stepped.
  void record(const engine::World& world, const engine::TickRecord& record,
              const engine::TickReport& report);

  /// Records that all ticks up to `last` were idle. Cost: that of at most
  /// protocol::kTicksRemembered ticks in which nothing happened.
  void record_idle(Tick last);

  [[nodiscard]] Tick tick() const { return tick_; }

  [[nodiscard]] std::uint32_t base_age_max() const { return base_age_max_; }

  [[nodiscard]] const BodySlots& slots() const { return slots_; }

  /// The changed inputs, by seat.
  [[nodiscard]] const ChangeHistory& inputs() const { return inputs_; }

  /// The changes of the room's state, which is value 0 of this history.
  [[nodiscard]] const ChangeHistory& room() const { return room_; }

  /// Outcomes and strikes, in the order in which they took effect: each tick's strikes before the
  /// outcomes that follow the physics.
  [[nodiscard]] const CauseHistory<OutcomeCause>& outcomes() const { return outcomes_; }

  [[nodiscard]] const CauseHistory<SpawnCause>& spawns() const { return spawns_; }

  /// Returns the tick of the newest outcome, strike or spawn of a body; 0 before the first.
  [[nodiscard]] Tick last_cause_of(SlotId slot) const { return last_causes_[slot]; }

  /// Returns the bytes of a tick's payloads. Requires: one of the last protocol::kTicksRemembered
  /// ticks.
  [[nodiscard]] ConstBytes payloads(Tick tick) const { return payloads_.at(tick); }

  /// Returns the islands since `base`. Valid until the next call. Requires: a tick of this match,
  /// at most base_age_max ago. Cost: linear in the pairs of the ticks between `base` and that of
  /// the last call, if that was newer; else in all pairs since.
  [[nodiscard]] Islands& islands_since(Tick base);

 private:
  /// A body that was spawned and removed in one tick, and the slot that stands for it: one of its
  /// own, or of the body that spawned it, which the spawn has joined with it.
  struct Transient {
    BodyId id;
    SlotId slot = kNoSlot;
  };

  /// Two bodies that have influenced each other; the lower slot first.
  using Link = std::pair<SlotId, SlotId>;

  void begin_tick(const engine::World& world, const engine::TickRecord* record,
                  std::span<const engine::SpawnedBy> spawns);
  void begin_lists();
  void reserve_lists(std::size_t seats);
  void add_transients(const engine::TickRecord& record, std::span<const engine::SpawnedBy> spawns);
  void record_spawns(const engine::TickReport& report);
  void link(BodyId a, BodyId b);
  [[nodiscard]] SlotId joining_slot(BodyId id) const;
  void end_links();
  void record_inputs(const engine::World& world, const engine::TickRecord& record);
  void record_outcomes(const engine::TickRecord& record);
  void record_outcome(const OutcomeCause& cause);
  [[nodiscard]] MutableBytes held(Player player);

  const GameTable* game_;
  std::uint32_t base_age_max_;  ///< ticks
  std::size_t seats_reserved_ = 0;
  Tick tick_;
  BodySlots slots_;
  std::optional<std::uint64_t> rest_version_;  ///< of the world after the last tick
  std::vector<std::byte> held_;           ///< the input that each seat holds after the last tick
  std::vector<std::byte> default_input_;  ///< the input by default
  std::uint32_t payload_count_ = 0;       ///< payloads of the current tick
  std::vector<Transient> transients_;
  ChangeHistory inputs_;
  ChangeHistory room_;
  CauseHistory<OutcomeCause> outcomes_;
  CauseHistory<SpawnCause> spawns_;
  std::vector<Tick> last_causes_;  ///< by slot
  TickRing<std::vector<std::byte>, protocol::kTicksRemembered> payloads_;
  TickRing<std::vector<Link>, protocol::kTicksRemembered> links_;
  Islands islands_;  ///< of links_ after islands_since_
  Tick islands_since_;
};

}  // namespace tickbox::server
