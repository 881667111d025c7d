#include "server/replication/snapshot_planner.h"

#include "core/assert.h"
#include "net/transport.h"

#include <optional>

namespace tickbox::server {
namespace {

/// Decides which islands are replayed, and writes their causes. Returns false if those of the own
/// island are more than can be numbered or sent.
bool plan_replay(const PlanInput& input, PlanScratch& scratch, protocol::Causes& causes) {
  ClientBodies& bodies = scratch.bodies;
  Room& room = *input.tick.room;
  Islands& islands = room.replication_log().islands_since(input.request.base_tick);
  mark_known(input, islands, bodies);
  if (room.rules().closed_under_contact()) plan_islands(islands, bodies);
  const bool do_causes_fit = gather_causes(input, islands, bodies, scratch.causes);
  scratch.work += kBodyWork * bodies.known.size() + scratch.causes.size();
  if (!do_causes_fit) return false;
  write_causes(room.replication_log().sticks(), bodies, scratch.causes, causes);
  scratch.work += causes.inputs.size();
  return true;
}

/// Sorts by insertion: the base's members are in order already, and few bullets come after them.
void sort_by_id(const PlannedTick& tick, ViewMembers& view) {
  for (std::size_t i = 1; i < view.size(); ++i) {
    const SlotId slot = view[i];
    const BodyId id = tick.bodies[slot].id;
    std::size_t at = i;
    for (; at > 0 && id < tick.bodies[view[at - 1]].id; --at) {
      view[at] = view[at - 1];
    }
    view[at] = slot;
  }
}

/// Returns the hash of a view.
std::uint64_t hash_of(const PlannedTick& tick, const ViewMembers& view) {
  game::ViewHash hash;
  for (const SlotId slot : view) {
    hash.add(tick.bodies[slot].hash);
  }
  return hash.value();
}

/// Plans one snapshot, with or without a base. Returns nothing if there are more causes than
/// numbers for them, or if frame, events, causes, exits and an own body in full do not fit.
std::optional<ViewPlan> try_plan(const PlanInput& input, PlanScratch& scratch,
                                 WaitingBodies& waiting, protocol::Snapshot& snapshot,
                                 ViewMembers& view) {
  const PlannedTick& tick = input.tick;
  const bool on_base = input.request.base != nullptr;
  ClientBodies& bodies = scratch.bodies;
  snapshot.causes.clear();
  snapshot.bodies.clear();
  view.clear();
  bodies.clear();
  mark_waiting(waiting, bodies);
  if (on_base && !plan_replay(input, scratch, snapshot.causes)) return std::nullopt;
  for (const SlotId slot : bodies.known) {
    if (tick.is_present(slot) && bodies.is_replayed(slot)) view.push_back(slot);
  }
  sort_by_id(tick, view);
  const std::optional<BodyBudget> budget = body_budget(input.request, snapshot.causes);
  if (!budget) return std::nullopt;
  const std::span<Candidate> candidates =
      list_candidates(input, *budget, bodies, scratch.visible, scratch.candidates);
  scratch.work += kBodyWork * scratch.visible.size();
  const std::optional<ChosenBodies> chosen =
      choose_bodies(tick, *budget, candidates, snapshot.bodies, view);
  if (!chosen) return std::nullopt;
  list_waiting(candidates, waiting);
  if (on_base) write_exits(input, bodies, snapshot.bodies, snapshot.causes);
  return ViewPlan{.on_base = on_base,
                  .has_news = !on_base || !snapshot.causes.empty() || !snapshot.bodies.empty(),
                  .view_hash = hash_of(tick, view),
                  .members = view.size(),
                  .new_body_bytes = chosen->new_body_bytes,
                  .known_body_bytes = chosen->known_body_bytes,
                  .waiting = waiting.size(),
                  .deferred = chosen->deferred,
                  .work = scratch.work};
}

}  // namespace

PlanScratch::PlanScratch() {
  bodies.known.reserve(2 * protocol::kViewMembersMax);
  candidates.reserve(2 * protocol::kViewMembersMax);
}

void PlanScratch::resize(std::size_t slots) {
  bodies.resize(slots);
  visible.reserve(slots);
}

void SnapshotPlanner::begin_tick(Room& room) {
  tick_.read(room);
  scratch_.resize(tick_.slots->capacity());
}

ViewPlan SnapshotPlanner::plan(const ViewRequest& request, WaitingBodies& waiting,
                               protocol::Snapshot& snapshot, ViewMembers& view) {
  scratch_.work = 0;
  std::optional<ViewPlan> plan = try_plan({tick_, request}, scratch_, waiting, snapshot, view);
  if (plan) return *plan;
  TICKBOX_ASSERT(request.base != nullptr);
  // A full view in a few bytes would discard most of the client's view.
  if (request.bytes_max < net::kDatagramBytesMax) {
    return {.on_base = true, .fits = false, .work = scratch_.work};
  }
  ViewRequest full = request;
  full.base = nullptr;
  plan = try_plan({tick_, full}, scratch_, waiting, snapshot, view);
  TICKBOX_ASSERT(plan.has_value());
  return *plan;
}

}  // namespace tickbox::server
