#pragma once
// Plans what to send to one client so that it has the match's state, to the bit, of all that it
// sees.
//
// The client's base is the view that it acknowledged last. Bodies that the client does not know,
// and bodies that those have influenced since the base, must be sent in full; for the rest the
// causes are enough. Islands decide between the two. A member of the base is inside if it is in the
// new view as well, or has despawned by the rules of the game. A body that an inside one has
// spawned since is inside too. An island is replayed if all of its members are inside.
//
// Bodies that do not fit the budget are not in the view; the priority of a waiting body grows.
//
// The stages are functions of plan_stages.h, the first and the last of planner.cpp, in this order:
//
//   base, bodies in sight   ─► is_surely_quiet  ─► the end, if a view without news is not wanted
//   waiting bodies          ─► mark_waiting     ─► ClientBodies
//   base, islands since it  ─► mark_known       ─► known bodies
//                              plan_islands     ─► replayed islands
//   causes since the base   ─► gather_causes    ─► PendingCauses; costly islands are sent in full
//                              sort_causes      ─► causes
//   size limit, causes      ─► row_budget       ─► bits for bodies
//   bodies in sight         ─► list_candidates  ─► candidates
//   candidates, bits        ─► choose_bodies    ─► bodies in full
//                              sort_by_id       ─► view
//                              list_waiting     ─► waiting bodies
//                              list_exits       ─► exits
//   all of these            ─► write_content    ─► content

#include "server/match/plan/plan_stages.h"
#include "server/match/plan/slot_table.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::server {

struct ViewPlan {
  bool on_base = false;
  bool fits = true;       ///< false: does not fit; send nothing until more bytes are free
  bool has_news = false;  ///< has content that the client cannot compute by itself
  bool has_view = true;   ///< false: ended early, without news, view and sizes
  std::uint64_t view_hash = 0;
  std::size_t members = 0;           ///< the size of the view
  std::size_t new_body_bytes = 0;    ///< bytes of bodies in full that are new to the view
  std::size_t known_body_bytes = 0;  ///< bytes of bodies in full that are not new to it
  std::size_t exit_bytes = 0;        ///< bytes of members that leave the view
  std::size_t waiting = 0;           ///< bodies in sight that the base does not have
  std::size_t deferred = 0;          ///< bodies in sight that did not fit
  std::size_t work = 0;              ///< see kBodyWork
};

/// The unit of work is a cause that a plan walks, some 15 ns. This is the work of a body that a
/// plan judges: a known one, or one in sight.
inline constexpr std::size_t kBodyWork = 4;

/// What the stages of a plan pass on, kept from plan to plan so that a warm plan does not allocate.
struct PlanScratch {
  /// Makes space for these slots.
  void grow(const BodySlots& slots);

  ClientBodies bodies;
  PendingCauses pending;
  WrittenCauses causes;
  std::vector<Interest::Found> visible;
  std::vector<Candidate> candidates;
  Members chosen;
  RowSet rows;
  SlotSet members;
  std::vector<std::uint16_t> exits;
  std::size_t work = 0;
};

class Planner {
 public:
  /// Reads the match once, for all snapshots of this tick. `tick`: of this match alone, the same
  /// one in every tick; it must live until the next call.
  void begin_tick(Match& match, TickContext& tick);

  /// Writes the content of a snapshot, and the view that the client then has; nothing, if the plan
  /// ends early. `waiting` is the client's list from snapshot to snapshot. Cost: no allocation once
  /// warm.
  ViewPlan plan(const ViewRequest& request, WaitingBodies& waiting, std::vector<std::byte>& content,
                Members& view);

 private:
  TickContext* tick_ = nullptr;
  PlanScratch scratch_;
};

// --- the first stage: ends a plan early if it surely has no news ---
//
// Its snapshot is not sent. The client computes everything by itself if nothing has acted on its
// base since, from inside or from outside:
//
//   - the room's state has not changed; no member has a new input, outcome, strike or spawn
//   - all members are still in the view, or have despawned by the rules of the game
//   - no other body has influenced a member: the islands of the members have members alone
//   - no other body is to be added: none is in sight, is the player's own, or is in the view sent
//     last and still near enough to stay
//
// These are what the stages of a plan ask too, of the same bodies (plan_stages.h): each stage then
// finds nothing to write. The reverse does not hold. A plan can be without news although the check
// fails, as where a body in sight does not fit. The cheapest questions come first: most plans with
// news end the check at a member whose input has changed.

/// Returns whether the plan surely has no news. If it has none, its view is the base without the
/// bodies that have despawned, and no body waits. `members`: scratch memory.
/// Requires: the request has a base.
/// Cost: linear in the members of the base, the view sent last, and the bodies around the view.
[[nodiscard]] bool is_surely_quiet(const ClientContext& client, SlotSet& members);

}  // namespace tickbox::server
