#pragma once
// Plans what to send to one client so that it has the room's state, to the bit, of all that it
// sees.
//
// The client holds a base: the view that it acknowledged last. Bodies that it does not hold, and
// bodies that those have influenced since, must be sent in full; for the rest the causes are
// enough. Islands decide between the two. A member of the base is inside if it is in the new view
// as well, or has died by the rules of the game. A bullet that an inside player has fired since is
// inside too. An island is replayed if all of its members are inside. It is sent in full otherwise,
// because a body that the client does not know can have moved any of them.
//
// Bodies that do not fit the budget are not in the view; a body that waits has a priority that
// grows.

#include "protocol/snapshot.h"
#include "server/replication/interest.h"
#include "server/replication/sent_views.h"
#include "server/room/room.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tickbox::server {

/// A body in sight that the client's base does not have yet, with its gathered priority.
struct DeferredBody {
  SlotId slot;
  std::uint32_t priority;
  std::uint32_t snapshots;  ///< number of snapshots that it did not fit
};

using DeferredBodies = BoundedVector<DeferredBody, protocol::kViewMembersMax>;

struct ViewRequest {
  std::uint32_t own = 0;  ///< index of the client's body among the room's entities
  const ViewMembers* base = nullptr;
  Tick base_tick;              ///< valid with a base
  std::size_t bytes_max = 0;   ///< size limit of the whole datagram
  std::size_t bytes_kept = 0;  ///< the part of bytes_max for content other than the view
};

struct ViewPlan {
  bool on_base = false;
  bool fits = true;  ///< false: does not fit on its base; send nothing until more bytes are free
  bool has_news = false;  ///< has content that the client cannot compute by itself
  std::uint64_t view_hash = 0;
  std::size_t members = 0;      ///< the size of the view
  std::size_t enter_bytes = 0;  ///< bytes of bodies in full that are new to the view
  std::size_t set_bytes = 0;    ///< bytes of bodies in full that are not new to it
  std::size_t deferred = 0;     ///< bodies in sight that did not fit
};

class SnapshotPlanner {
 public:
  explicit SnapshotPlanner(Sight sight);

  /// Reads the room once, for all snapshots of this tick.
  void begin_tick(Room& room);

  /// Fills in the causes and bodies of `snapshot`, and the view that the client then has.
  /// `deferred` is the client's list from snapshot to snapshot.  Requires: space for the own body
  /// in bytes_max. Cost: no allocation once warm.
  ViewPlan plan(const ViewRequest& request, DeferredBodies& deferred, protocol::Snapshot& snapshot,
                ViewMembers& view);

 private:
  enum class Standing : std::uint8_t {
    Unknown,  ///< the client does not hold it
    Outside,  ///< held, but no longer in sight, or removed from the room
    Inside,   ///< held, or spawned by a held body; in the new view, or dead
  };

  struct Mark {
    std::uint64_t stamp = 0;
    Standing standing = Standing::Unknown;
    bool is_member = false;       ///< whether the base has it
    std::uint8_t member = 0;      ///< its number in the base
    SlotId root = kNoSlot;        ///< root of its island since the base; valid if held
    std::uint32_t priority = 0;   ///< priority gathered so far
    std::uint32_t snapshots = 0;  ///< number of snapshots that it did not fit
  };

  /// The decision about an island, stored at its root.
  struct Verdict {
    std::uint64_t stamp = 0;
    bool told_whole = false;
    std::size_t cause_bytes = 0;
    std::size_t body_bytes = 0;
  };

  struct Candidate {
    SlotId slot;
    bool is_held;  ///< whether the base has it
    std::uint32_t priority;
    std::uint32_t snapshots;
  };

  template <class Cause>
  struct Pending {
    SlotId slot;
    Cause cause;
  };

  bool try_plan(const ViewRequest& request, DeferredBodies& deferred, protocol::Snapshot& snapshot,
                ViewMembers& view);
  Mark& mark(SlotId slot);
  [[nodiscard]] Standing standing_of(SlotId slot) const;
  [[nodiscard]] const game::EntityState& entity_of(SlotId slot) const;

  [[nodiscard]] bool is_present(SlotId slot) const { return slots_->slot(slot).is_present(); }

  [[nodiscard]] Standing judge_member(SlotId slot, Tick base) const;

  void mark_held(const ViewMembers& base, Tick base_tick);
  void mark_born(const ViewMembers& base, Tick base_tick);
  void judge_islands();

  /// Requires: `slot` is held.
  [[nodiscard]] Verdict& verdict_of(SlotId slot) { return verdicts_[marks_[slot].root]; }

  [[nodiscard]] bool is_replayed(SlotId slot) {
    return standing_of(slot) == Standing::Inside && !verdict_of(slot).told_whole;
  }

  void pend_causes(Tick base);
  void weigh_causes();
  [[nodiscard]] bool tell_causes(protocol::Causes& causes);
  template <class Predicate>
  void tell_whole_where(Predicate is_told);
  void gather_candidates(const ViewRequest& request, const DeferredBodies& deferred);
  [[nodiscard]] std::uint32_t nearness(SlotId slot) const;
  bool admit(const ViewRequest& request, protocol::Snapshot& snapshot, DeferredBodies& deferred,
             ViewMembers& view);
  void sort_by_id(ViewMembers& view) const;
  void weigh_bodies(const protocol::Snapshot& snapshot, ViewPlan& plan) const;
  void tell_leaves(const ViewMembers& base, protocol::Snapshot& snapshot);

  Room* room_ = nullptr;
  std::span<const game::EntityState> entities_;  ///< of this tick, as hashes_ is
  std::span<const std::uint64_t> hashes_;
  const BodySlots* slots_ = nullptr;
  Interest interest_;

  // The plan in progress.
  std::uint64_t stamp_ = 0;  ///< number of the plan; marks and verdicts of other plans are void
  Islands* islands_ = nullptr;
  Vec2 centre_;
  SlotId own_ = kNoSlot;
  std::vector<Mark> marks_;        ///< by slot
  std::vector<Verdict> verdicts_;  ///< by slot; valid at roots
  std::vector<SlotId> held_;       ///< the members of the base, and the bullets they have fired
  std::vector<Pending<protocol::InputCause>> inputs_;
  std::vector<Pending<protocol::ShotCause>> shots_;
  std::vector<Pending<protocol::PlacementCause>> placements_;
  std::vector<Candidate> candidates_;
  std::size_t deferred_ = 0;
};

}  // namespace tickbox::server
