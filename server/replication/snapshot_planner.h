#pragma once
// What one client must be told so that it has the room's state, to the bit, of all that it sees.
//
// The client holds a base: the view that it acknowledged last. All it does not hold, and all that
// something it does not hold has influenced since, must come whole; for the rest the causes are
// enough. Islands decide which is which. A member of the base is inside if it is in the new view as
// well, or has died by the rules of the game; so is a bullet born since from an inside player. An
// island is replayed if all of its members are inside, and told whole if any is not: what a client
// does not know of can have moved any of them.
//
// What does not fit the budget is not in the view; whoever waits to come in has a priority that
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

/// Bodies that are in sight and did not fit the view yet, with what they have gathered of priority.
struct Waiter {
  LifeId life;
  std::uint32_t priority;
  std::uint32_t snapshots;  ///< that it has waited for
};

using Waiters = BoundedVector<Waiter, protocol::kViewMembersMax>;

struct ViewRequest {
  std::uint32_t own = 0;  ///< index of the client's body among the room's entities
  const ViewMembers* base = nullptr;
  Tick base_tick;              ///< where there is a base
  std::size_t bytes_max = 0;   ///< of the datagram
  std::size_t bytes_kept = 0;  ///< of them, for what is not of the view
};

struct ViewPlan {
  bool on_base = false;
  bool fits = true;  ///< false: not on its base in so few bytes; send nothing, until there are more
  bool has_news = false;  ///< anything that the client does not know by itself
  std::uint64_t view_hash = 0;
  std::size_t members = 0;      ///< of the view
  std::size_t enter_bytes = 0;  ///< of whole bodies that are new to the view
  std::size_t set_bytes = 0;    ///< of those that are not
  std::size_t deferred = 0;     ///< bodies in sight that did not fit
};

class SnapshotPlanner {
 public:
  explicit SnapshotPlanner(Sight sight);

  /// Looks at the room once, for all of this tick's snapshots.
  void look(Room& room);

  /// Fills in causes and bodies of `snapshot`, and the view that the client has by it. `waiters`
  /// are the client's, from snapshot to snapshot.  Requires: room for the own body in bytes_max.
  /// Cost: no allocation once warm.
  ViewPlan plan(const ViewRequest& request, Waiters& waiters, protocol::Snapshot& snapshot,
                ViewMembers& view);

 private:
  enum class Standing : std::uint8_t {
    Unknown,  ///< the client does not hold it
    Outside,  ///< held, but not to be seen any more, or taken out of the room
    Inside,   ///< held, or born of what is held; in the new view, or dead
  };

  struct Mark {
    std::uint64_t stamp = 0;
    Standing standing = Standing::Unknown;
    bool is_member = false;       ///< of the base
    std::uint8_t member = 0;      ///< its number there
    LifeId root = kNoLife;        ///< of its island since the base, of what is held
    std::uint32_t priority = 0;   ///< that it has gathered
    std::uint32_t snapshots = 0;  ///< that it has waited for
  };

  /// Of an island, by its root.
  struct Verdict {
    std::uint64_t stamp = 0;
    bool told_whole = false;
    std::size_t cause_bytes = 0;
    std::size_t body_bytes = 0;
  };

  struct Candidate {
    LifeId life;
    bool is_held;  ///< a member of the base
    std::uint32_t priority;
    std::uint32_t snapshots;
  };

  template <class Cause>
  struct Pending {
    LifeId life;
    Cause cause;
  };

  bool try_plan(const ViewRequest& request, Waiters& waiters, protocol::Snapshot& snapshot,
                ViewMembers& view);
  Mark& mark(LifeId life);
  [[nodiscard]] Standing standing_of(LifeId life) const;
  [[nodiscard]] const game::EntityState& entity_of(LifeId life) const;

  [[nodiscard]] bool is_there(LifeId life) const { return lives_->of(life).is_there(); }

  [[nodiscard]] Standing judge_member(LifeId life, Tick base) const;

  void mark_held(const ViewMembers& base, Tick base_tick);
  void mark_born(const ViewMembers& base, Tick base_tick);
  void judge_islands();

  /// Requires: held.
  [[nodiscard]] Verdict& verdict_of(LifeId life) { return verdicts_[marks_[life].root]; }

  [[nodiscard]] bool is_replayed(LifeId life) {
    return standing_of(life) == Standing::Inside && !verdict_of(life).told_whole;
  }

  void pend_causes(Tick base);
  void weigh_causes();
  [[nodiscard]] bool tell_causes(protocol::Causes& causes);
  template <class Predicate>
  void tell_whole_where(Predicate is_told);
  void gather_candidates(const ViewRequest& request, const Waiters& waiters);
  [[nodiscard]] std::uint32_t nearness(LifeId life) const;
  bool admit(const ViewRequest& request, protocol::Snapshot& snapshot, Waiters& waiters,
             ViewMembers& view);
  void sort_by_id(ViewMembers& view) const;
  void weigh_bodies(const protocol::Snapshot& snapshot, ViewPlan& plan) const;
  void tell_leaves(const ViewMembers& base, protocol::Snapshot& snapshot);

  Room* room_ = nullptr;
  std::span<const game::EntityState> entities_;  ///< of this tick, as are their hashes
  std::span<const std::uint64_t> hashes_;
  const Lives* lives_ = nullptr;
  Interest interest_;

  // Of the plan under way.
  std::uint64_t stamp_ = 0;  ///< of a plan; marks and verdicts of others are void
  Islands* islands_ = nullptr;
  Vec2 centre_;
  LifeId own_ = kNoLife;
  std::vector<Mark> marks_;        ///< by life
  std::vector<Verdict> verdicts_;  ///< by life, of roots
  std::vector<LifeId> held_;       ///< the base's members, and who was born of them
  std::vector<Pending<protocol::InputCause>> inputs_;
  std::vector<Pending<protocol::ShotCause>> shots_;
  std::vector<Pending<protocol::PlacementCause>> placements_;
  std::vector<Candidate> candidates_;
  std::size_t deferred_ = 0;
};

}  // namespace tickbox::server
