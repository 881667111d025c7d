#pragma once
// The stages of a plan, and what they pass on. Each stage is a function whose signature has all of
// its inputs and outputs; snapshot_planner.h has their order.

#include "core/inplace_vector.h"
#include "protocol/snapshot.h"
#include "server/replication/interest.h"
#include "server/replication/sent_views.h"
#include "server/room/room.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tickbox::server {

/// The bytes of the smallest body in full.
inline constexpr std::size_t kBodyBytesMin = 16;

// --- what a plan reads ---

/// What plans read of a body, side by side: each plan reads hundreds of bodies in no order.
struct PlannedBody {
  /// Valid while present; so are `place`, `index` and `bytes`.
  std::uint64_t hash = 0;
  Vec2 place;
  std::uint32_t index = 0;  ///< among the room's entities
  std::uint8_t bytes = 0;   ///< size of the body in full
  bool is_present = false;
  bool left = false;  ///< despawned because its player left, which no replay shows
  BodyId id;
  Tick acted;  ///< of its newest shot, teleport or bullet; 0 before the first
};

/// What all plans of a tick share; read once a tick.
struct PlannedTick {
  explicit PlannedTick(Sight sight) : interest(sight) {}

  void read(Room& of);

  [[nodiscard]] Tick now() const { return room->world().tick; }

  [[nodiscard]] bool is_present(SlotId slot) const { return bodies[slot].is_present; }

  /// Requires: is_present(slot).
  [[nodiscard]] const game::EntityState& entity_of(SlotId slot) const {
    return room->entities()[bodies[slot].index];
  }

  Room* room = nullptr;
  const BodySlots* slots = nullptr;
  std::vector<PlannedBody> bodies;  ///< by slot
  Interest interest;
};

/// The client for which a plan is made, and the size limit of its snapshot.
struct ViewRequest {
  std::uint32_t own = 0;  ///< index of the client's body among the room's entities
  const ViewMembers* base = nullptr;
  Tick base_tick;                     ///< valid with a base
  const ViewMembers* last = nullptr;  ///< the view sent last, if any
  std::size_t bytes_max = 0;          ///< size limit of the whole datagram
  std::size_t bytes_kept = 0;         ///< the part of bytes_max for content other than the view
};

/// A body in sight that the client's base does not have yet, with its gathered priority.
struct WaitingBody {
  SlotId slot;
  std::uint32_t priority;

  friend bool operator==(const WaitingBody&, const WaitingBody&) = default;
};

using WaitingBodies = InplaceVector<WaitingBody, protocol::kViewMembersMax>;

/// What the stages of a plan read.
struct PlanInput {
  const PlannedTick& tick;
  const ViewRequest& request;

  /// Returns the slot of the client's body.
  [[nodiscard]] SlotId own() const { return tick.slots->present()[request.own]; }

  /// Returns the place from which the client sees.
  [[nodiscard]] Vec2 centre() const { return tick.bodies[own()].place; }
};

// --- which bodies the client knows, and which of them it replays ---
//
// An island is replayed if all of its members are inside (snapshot_planner.h). Otherwise its bodies
// in view are sent in full, because a body that the client does not know may have moved them.

/// A value for each slot of a room. A plan needs those of a few bodies in a room of thousands, so
/// each value has the number of the plan that wrote it, and a reset costs nothing.
template <class Value>
class SlotTable {
 public:
  /// Makes space for slots below `slots`.
  void resize(std::size_t slots) { entries_.resize(slots); }

  /// Resets all values to the default. Cost: constant.
  void clear() { ++generation_; }

  /// Returns whether the value was accessed for writing since clear().
  [[nodiscard]] bool contains(SlotId slot) const {
    return entries_[slot].generation == generation_;
  }

  [[nodiscard]] Value& operator[](SlotId slot) {
    Entry& entry = entries_[slot];
    if (entry.generation != generation_) entry = {.generation = generation_, .value = {}};
    return entry.value;
  }

  [[nodiscard]] const Value& operator[](SlotId slot) const {
    return contains(slot) ? entries_[slot].value : kDefault;
  }

 private:
  struct Entry {
    std::uint64_t generation = 0;
    Value value;
  };

  static constexpr Value kDefault{};

  std::uint64_t generation_ = 1;
  std::vector<Entry> entries_;
};

/// Whether a body is known to the client. Known are the members of its base, and the bullets that
/// Inside members have fired since.
enum class Membership : std::uint8_t {
  Unknown,
  Outside,  ///< known, but out of sight, its player left, or a bullet beyond the limit
  Inside,   ///< known, and in sight, teleported lately, a bullet, or despawned by the rules
};

/// What a plan has about one body.
struct SlotState {
  Membership membership = Membership::Unknown;
  bool is_in_base = false;
  std::uint8_t base_index = 0;  ///< valid if is_in_base
  SlotId root = kNoSlot;        ///< root of its island since the base, if known
  std::uint32_t priority = 0;   ///< priority gathered while it waited
};

/// The number and the size of some causes.
struct CauseSum {
  std::size_t inputs = 0;
  std::size_t shots = 0;
  std::size_t teleports = 0;
  std::size_t bytes = 0;

  [[nodiscard]] static CauseSum of(StickTicks ticks);
  [[nodiscard]] static CauseSum of(const protocol::ShotCause& cause);
  [[nodiscard]] static CauseSum of(const protocol::TeleportCause& cause);

  CauseSum& operator+=(const CauseSum& more);
  CauseSum& operator-=(const CauseSum& less);

  /// Returns whether a snapshot can number them, and hold them in `bytes_max` bytes.
  [[nodiscard]] bool fits(std::size_t bytes_max) const {
    return std::max({inputs, shots, teleports}) <= protocol::kCausesMax && bytes <= bytes_max;
  }
};

/// What a plan has about one island. Without a plan, an island is sent in full.
struct IslandPlan {
  bool in_full = true;         ///< its bodies are sent as states, not replayed from causes
  CauseSum causes;             ///< as far as they were gathered; not of the own island
  std::size_t body_bytes = 0;  ///< the size of its bodies in full, where the causes are large
};

struct ClientBodies {
  /// `slots`: the limit of the room's slots.
  void resize(std::size_t slots) {
    states.resize(slots);
    islands.resize(slots);
  }

  void clear() {
    states.clear();
    islands.clear();
    known.clear();
  }

  /// Returns whether the client replays the body.
  [[nodiscard]] bool is_replayed(SlotId slot) const {
    const SlotState& state = states[slot];
    return state.membership == Membership::Inside && !islands[state.root].in_full;
  }

  /// Returns the root of a body's island, or kNoSlot if the body is not inside.
  [[nodiscard]] SlotId root_if_inside(SlotId slot) const {
    const SlotState& state = states[slot];
    return state.membership == Membership::Inside ? state.root : kNoSlot;
  }

  /// Returns the plan for the island of a known body.
  [[nodiscard]] IslandPlan& island_of(SlotId slot) { return islands[states[slot].root]; }

  [[nodiscard]] const IslandPlan& island_of(SlotId slot) const {
    return islands[states[slot].root];
  }

  SlotTable<SlotState> states;
  SlotTable<IslandPlan> islands;  ///< by the root of the island
  std::vector<SlotId> known;  ///< the members of the base in order, then the bullets fired since
};

/// Adds the bodies that wait since earlier snapshots.
void mark_waiting(const WaitingBodies& waiting, ClientBodies& bodies);

/// Adds the bodies that the client knows. `islands`: those since the base.
/// Requires: the request has a base.
void mark_known(const PlanInput& input, Islands& islands, ClientBodies& bodies);

/// Plans each island that has a known body. `islands`: those since the base.
void plan_islands(const Islands& islands, ClientBodies& bodies);

// --- the causes of the islands that are replayed ---

/// The causes since the base, with the slots of their bodies, until it is known which are sent.
struct PendingCauses {
  template <class Cause>
  struct Entry {
    SlotId slot;
    Cause cause;
  };

  /// Reserves memory for a crowd in which each body has one shot and one teleport in every tick.
  PendingCauses();

  [[nodiscard]] std::size_t size() const { return sticks.size() + shots.size() + teleports.size(); }

  void clear() {
    sticks.clear();
    shots.clear();
    teleports.clear();
  }

  void add(SlotId slot, StickTicks ticks) { sticks.push_back({slot, ticks}); }

  void add(SlotId slot, const protocol::ShotCause& cause) { shots.push_back({slot, cause}); }

  void add(SlotId slot, const protocol::TeleportCause& cause) {
    teleports.push_back({slot, cause});
  }

  std::vector<Entry<StickTicks>> sticks;                  ///< by base index
  std::vector<Entry<protocol::ShotCause>> shots;          ///< the same, of each the newest first
  std::vector<Entry<protocol::TeleportCause>> teleports;  ///< the same
};

/// Gathers the causes since the base of all replayed bodies. An island is sent in full if its
/// causes take more bytes than its bodies, or if the snapshot cannot number or hold them beside
/// those before it; the walk over its causes ends there. The own island comes first: the client
/// must know what touched its body. `islands`: those since the base.
/// Fails: false, if the snapshot cannot number or hold the causes of the own island alone.
/// Cost: linear in the known bodies and the bytes of the datagram, however old the base is.
[[nodiscard]] bool gather_causes(const PlanInput& input, const Islands& islands,
                                 ClientBodies& bodies, PendingCauses& pending);

/// Writes the causes of the islands that are still replayed, the oldest first; drops the others.
void write_causes(const StickLog& sticks, const ClientBodies& bodies, PendingCauses& pending,
                  protocol::Causes& causes);

// --- which bodies are wanted in full, and which of them fit ---

/// The bytes that bodies in full may take.
struct BodyBudget {
  std::size_t bytes = 0;
  std::size_t headroom = 0;  ///< the part of them that new bodies must leave free

  /// Returns the most bodies that fit.
  [[nodiscard]] std::size_t bodies_max() const {
    return std::min(bytes / kBodyBytesMin, protocol::kSnapshotBodiesMax);
  }
};

/// Returns what the rest of the snapshot leaves. Fails: std::nullopt, if the rest alone does not
/// fit.
[[nodiscard]] std::optional<BodyBudget> body_budget(const ViewRequest& request,
                                                    const protocol::Causes& causes);

/// A body that the client should have in full.
struct Candidate {
  SlotId slot = kNoSlot;
  std::uint32_t priority = 0;
  bool is_known = false;   ///< the client replaces its own state of the body
  bool is_new = false;     ///< new to the view, and not the own body: it can wait
  bool is_chosen = false;  ///< set by choose_bodies()

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Lists the bodies in sight that are not replayed. The own body has the highest priority, then
/// known bodies, then new bodies; bodies that are near, or wait for long, have a higher one than
/// others. The first WaitingBodies::capacity() of the list are those with the highest priorities.
/// They are not sorted: in a crowd, sorting all candidates took most of the time of a plan.
/// With a base, a body of the view sent last stays in sight as a member of the base does. Otherwise
/// it would leave the view until the client has acknowledged it, and then come back.
/// Returns a part of `memory`. `visible`: scratch memory.
[[nodiscard]] std::span<Candidate> list_candidates(const PlanInput& input, const BodyBudget& budget,
                                                   const ClientBodies& bodies,
                                                   std::vector<Interest::Found>& visible,
                                                   std::vector<Candidate>& memory);

struct ChosenBodies {
  std::size_t new_body_bytes = 0;    ///< bytes of chosen bodies that are new to the view
  std::size_t known_body_bytes = 0;  ///< bytes of chosen bodies that the client knows
  std::size_t deferred = 0;          ///< number of bodies that did not fit
};

using SnapshotBodies = decltype(protocol::Snapshot::bodies);

/// Adds candidates to `chosen` and to `view` while they fit, the highest priority first; both stay
/// sorted by id. `candidates`: from list_candidates(); sorted as far as they can fit. `view`: the
/// replayed bodies.
/// Fails: std::nullopt, if the own body does not fit.
[[nodiscard]] std::optional<ChosenBodies> choose_bodies(const PlannedTick& tick,
                                                        const BodyBudget& budget,
                                                        std::span<Candidate> candidates,
                                                        SnapshotBodies& chosen, ViewMembers& view);

/// Lists the new candidates for the client's next snapshot. Chosen ones stay in the list, because
/// the client may not receive this snapshot.
void list_waiting(std::span<const Candidate> candidates, WaitingBodies& waiting);

/// Adds the members of the base that are not in the new view, and whose despawn no replay shows.
/// `chosen`: sorted by id. Requires: the request has a base.
void write_exits(const PlanInput& input, const ClientBodies& bodies, const SnapshotBodies& chosen,
                 protocol::Causes& causes);

}  // namespace tickbox::server
