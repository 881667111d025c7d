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
#include "engine/bits.h"
#include "engine/tick_record.h"
#include "engine/tick_report.h"
#include "engine/world.h"
#include "protocol/history_depths.h"
#include "server/match/body_slots.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tickbox::server {

/// The bodies that have influenced each other since a tick, as a union-find forest. The root of a
/// tree represents its island. The members of each island are also linked in a ring, to visit all
/// of them.
class Islands {
 public:
  void reserve(std::size_t slots) {
    nodes_.reserve(slots);
    linked_.reserve(slots);
  }

  /// Makes each slot below `slots` an island of its own. Cost: linear in those that are not.
  void clear(std::size_t slots) {
    for (const SlotId slot : linked_) {
      nodes_[slot] = alone(slot);
    }
    linked_.clear();
    grow(slots);
  }

  /// Makes the islands of both slots one.
  void link(SlotId a, SlotId b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    for (const SlotId root : {a, b}) {
      if (nodes_[root].members == 1) linked_.push_back(root);
    }
    if (nodes_[a].members < nodes_[b].members) std::swap(a, b);
    nodes_[b].parent = a;
    nodes_[a].members += nodes_[b].members;
    std::swap(nodes_[a].next, nodes_[b].next);
  }

  /// Returns the root of the island. Cost: amortised, almost constant.
  [[nodiscard]] SlotId root_of(SlotId slot) {
    while (nodes_[slot].parent != slot) {
      nodes_[slot].parent = nodes_[nodes_[slot].parent].parent;
      slot = nodes_[slot].parent;
    }
    return slot;
  }

  /// Returns the next member of the same island; after the last, the first.
  [[nodiscard]] SlotId next(SlotId slot) const { return nodes_[slot].next; }

 private:
  struct Node {
    SlotId parent;
    SlotId next;
    std::uint32_t members;  ///< size of the island; valid in a root
  };

  static Node alone(SlotId slot) { return {.parent = slot, .next = slot, .members = 1}; }

  void grow(std::size_t slots) {
    while (nodes_.size() < slots) {
      nodes_.push_back(alone(static_cast<SlotId>(nodes_.size())));
    }
  }

  std::vector<Node> nodes_;
  std::vector<SlotId> linked_;  ///< the slots that are not alone, or were not
};

// The changes of some values in the last ticks, such as the input of each seat.
//
// In a crowd most inputs change in each tick, so a plan must not walk over them. The history has
// for each value a word with a bit for each tick, and for each tick the sum of all changes up to
// it. What has changed since a base is then a difference of two sums. Both are lists by value: a
// plan reads those of its base and of the present tick, and few lines of the processor's cache.
// The seats that nobody has taken, behind the others, have no sums.
// The changes themselves are rings by value: a plan reads the last ones of a value.

/// A cause as bits. Most are short, and stand here; a longer one stands in the bytes of its tick.
struct Payload {
  std::uint64_t value = 0;  ///< of at most 64 bits, else the number of its first bit
  std::uint32_t bits = 0;
  std::uint32_t number = 0;  ///< in its tick: later causes have higher numbers
};

/// The number and the bits of some causes, without what names their members; modulo 2^32.
struct PayloadSum {
  std::uint32_t count = 0;
  std::uint32_t bits = 0;
};

class ChangeHistory {
 public:
  explicit ChangeHistory(std::size_t values) : changed_(values), payloads_(values) {}

  /// Begins a tick; forgets the tick protocol::kTicksRemembered before. Requires: the tick after
  /// the last, or the first of protocol::kTicksRemembered that begin without a change between.
  void begin(Tick tick) {
    for (std::uint64_t& changed : changed_) {
      changed <<= 1U;
    }
    std::ranges::copy(sums_of(tick_), sums_of(tick).begin());
    tick_ = tick;
  }

  /// Adds a change to the current tick; each value changes at most once.
  void add(std::size_t value, Payload payload) {
    changed_[value] |= 1U;
    if (value >= summed_) grow_sums(std::min(std::bit_ceil(value + 1), changed_.size()));
    PayloadSum& sum = sums_of(tick_)[value];
    ++sum.count;
    sum.bits += payload.bits;
    std::vector<Payload>& ring = payloads_[value];
    if (ring.empty()) ring.resize(kTicks);
    ring[tick_.value % kTicks] = payload;
  }

  /// Returns the ticks after `base` with a change: bit i is set for the tick i ticks ago.
  /// Requires: one of the last protocol::kTicksRemembered ticks.
  [[nodiscard]] std::uint64_t ticks_since(std::size_t value, Tick base) const {
    return changed_[value] & engine::low_mask(tick_.value - base.value);
  }

  /// Returns the sum of the changes after `base`. Requires: as ticks_since(). Cost: constant.
  [[nodiscard]] PayloadSum sum_since(std::size_t value, Tick base) const {
    if (value >= summed_) return {};
    const PayloadSum now = sums_of(tick_)[value];
    const PayloadSum then = sums_of(base)[value];
    return {.count = now.count - then.count, .bits = now.bits - then.bits};
  }

  /// Requires: the value has changed `ago` ticks ago.
  [[nodiscard]] const Payload& change(std::size_t value, std::uint32_t ago) const {
    return payloads_[value][(tick_.value - ago) % kTicks];
  }

 private:
  static constexpr std::uint32_t kTicks = protocol::kTicksRemembered;
  static_assert(kTicks == 64, "a bit for each tick");

  [[nodiscard]] std::size_t place_of(Tick tick) const { return tick.value % kTicks * summed_; }

  [[nodiscard]] std::span<PayloadSum> sums_of(Tick tick) {
    return std::span{sums_}.subspan(place_of(tick), summed_);
  }

  [[nodiscard]] std::span<const PayloadSum> sums_of(Tick tick) const {
    return std::span{sums_}.subspan(place_of(tick), summed_);
  }

  void grow_sums(std::size_t values) {
    std::vector<PayloadSum> grown(kTicks * values);
    for (std::size_t tick = 0; tick < kTicks; ++tick) {
      std::ranges::copy(std::span{sums_}.subspan(tick * summed_, summed_),
                        grown.begin() + static_cast<std::ptrdiff_t>(tick * values));
    }
    sums_ = std::move(grown);
    summed_ = values;
  }

  Tick tick_;
  std::vector<std::uint64_t> changed_;  ///< bit i: in the tick i ticks ago
  std::size_t summed_ = 0;              ///< the values below it have sums, others never changed
  std::vector<PayloadSum> sums_;        ///< of all changes up to a tick, by tick and value
  std::vector<std::vector<Payload>> payloads_;  ///< rings by tick; empty before a first change
};

/// The causes of one kind in the last ticks, found by tick or by slot. `Cause` has a member `SlotId
/// slot`.
///
/// A query by tick returns all causes of the tick. A query by slot walks back from the newest cause
/// of that slot and visits no other slot's causes: a client sees a few bodies of a room in which
/// thousands act in every tick.
template <class Cause>
class CauseHistory {
  /// The position of a cause. No cause is in tick 0, which a room begins with.
  struct Position {
    Tick tick;
    std::uint32_t index = 0;
  };

 public:
  struct Entry : Cause {
    Position before;  ///< the previous cause of the same slot
  };

  void reserve_slots(std::size_t slots) { newest_.reserve(slots); }

  void reserve_causes(std::size_t per_tick) {
    ticks_.for_each_slot([&](std::vector<Entry>& causes) { causes.reserve(per_tick); });
  }

  /// Begins a tick with this number of slots; replaces the tick protocol::kTicksRemembered before.
  void begin(Tick tick, std::size_t slots) {
    tick_ = tick;
    newest_.resize(slots);
    ticks_.insert(tick).clear();
  }

  /// Adds a cause to the current tick. Ignores a cause without a slot (kNoSlot).
  void add(const Cause& cause) {
    if (cause.slot == kNoSlot) return;
    std::vector<Entry>& causes = ticks_.at(tick_);
    Position& newest = newest_[cause.slot];
    causes.push_back({cause, newest});
    newest = {.tick = tick_, .index = static_cast<std::uint32_t>(causes.size() - 1)};
  }

  /// Returns the causes of a tick in the order of add(); none if the tick is not remembered.
  [[nodiscard]] std::span<const Entry> causes_of(Tick tick) const {
    const std::vector<Entry>* causes = ticks_.find(tick);
    return causes != nullptr ? std::span{*causes} : std::span<const Entry>{};
  }

  /// Returns whether the slot has a cause after `tick`. Requires: one of the last
  /// protocol::kTicksRemembered ticks.
  [[nodiscard]] bool has_since(SlotId slot, Tick tick) const { return newest_[slot].tick > tick; }

  /// Calls `visit(tick, cause)` for the causes of the slot after `base`, newest first, while it
  /// returns true. (The previous body in this slot despawned before any tick that may be passed.)
  /// Returns whether all were visited. Requires: as has_since().
  template <class Visit>
  bool visit_since(SlotId slot, Tick base, Visit visit) const {
    Position at = newest_[slot];
    while (at.tick > base) {
      const Tick tick = at.tick;
      const std::vector<Entry>& causes = ticks_.at(tick);
      do {
        const Entry& entry = causes[at.index];
        if (!visit(tick, entry)) return false;
        at = entry.before;
      } while (at.tick == tick);
    }
    return true;
  }

 private:
  Tick tick_;
  TickRing<std::vector<Entry>, protocol::kTicksRemembered> ticks_;
  std::vector<Position> newest_;  ///< the newest cause of each slot
};

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
