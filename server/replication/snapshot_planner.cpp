#include "server/replication/snapshot_planner.h"

#include "core/assert.h"
#include "protocol/cause_codec.h"
#include "protocol/messages.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tickbox::server {
namespace {

/// Bytes that bodies new to a view must leave free. A crowded view then has space for what happens
/// next, and the client does not need a full view.
constexpr std::size_t kHeadroomBytes = 256;

/// Priorities: bodies that the client holds and needs in full go before bodies that are new to it.
constexpr std::uint32_t kOwnPriority = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kHeldPriority = 1U << 30;
/// The distance in units from which on all bodies count as equally far.
constexpr std::int64_t kFarUnits = 64;

/// The most ticks for which a body placed out of sight stays in view, even if the client keeps
/// acknowledging an old base. Honest clients need no more.
constexpr std::uint32_t kPutSeenTicks = 16;
static_assert(kPutSeenTicks < protocol::kTicksRemembered,
              "where a body was put is known while that keeps it in view");

/// The bytes of the smallest body in full.
constexpr std::size_t kLeastBodyBytes = 16;

/// Space for the causes of a crowd in which every stick changes in every tick.
constexpr std::size_t kPendingCauses = protocol::kViewMembersMax * protocol::kBaseAgeMax;

}  // namespace

SnapshotPlanner::SnapshotPlanner(Sight sight) : interest_(sight) {
  held_.reserve(2 * protocol::kViewMembersMax);
  inputs_.reserve(kPendingCauses);
  shots_.reserve(kPendingCauses);
  placements_.reserve(kPendingCauses);
  candidates_.reserve(2 * protocol::kViewMembersMax);
}

void SnapshotPlanner::begin_tick(Room& room) {
  room_ = &room;
  slots_ = &room.replication_log().slots();
  entities_ = room.entities();
  hashes_ = room.entity_hashes();
  interest_.rebuild(room);
  marks_.resize(slots_->capacity());
  verdicts_.resize(slots_->capacity());
}

ViewPlan SnapshotPlanner::plan(const ViewRequest& request, DeferredBodies& deferred,
                               protocol::Snapshot& snapshot, ViewMembers& view) {
  ViewPlan plan{.on_base = request.base != nullptr};
  if (!try_plan(request, deferred, snapshot, view)) {
    TICKBOX_ASSERT(plan.on_base);
    // A full view in a few bytes would discard most of what the client holds.
    plan.fits = request.bytes_max >= net::kDatagramBytesMax;
    if (!plan.fits) return plan;
    ViewRequest anew = request;
    anew.base = nullptr;
    plan.on_base = false;
    const bool fits = try_plan(anew, deferred, snapshot, view);
    TICKBOX_ASSERT(fits);
  }
  plan.deferred = deferred_;
  weigh_bodies(snapshot, plan);
  plan.has_news = !plan.on_base || !snapshot.causes.empty() || !snapshot.bodies.empty();
  game::ViewHash hash;
  for (const SlotId slot : view) {
    hash.add(hashes_[slots_->slot(slot).index]);
  }
  plan.view_hash = hash.value();
  plan.members = view.size();
  return plan;
}

/// Sends the islands in full for which `is_told` is true, except the client's own island.
template <class Predicate>
void SnapshotPlanner::tell_whole_where(Predicate is_told) {
  const Verdict* own = standing_of(own_) == Standing::Inside ? &verdict_of(own_) : nullptr;
  for (const SlotId slot : held_) {
    Verdict& verdict = verdict_of(slot);
    if (&verdict != own && is_told(verdict)) verdict.told_whole = true;
  }
}

/// Returns false if the required content does not fit.
bool SnapshotPlanner::try_plan(const ViewRequest& request, DeferredBodies& deferred,
                               protocol::Snapshot& snapshot, ViewMembers& view) {
  ++stamp_;
  own_ = slots_->present()[request.own];
  centre_ = entities_[request.own].min;
  snapshot.causes.clear();
  snapshot.bodies.clear();
  view.clear();
  held_.clear();
  if (request.base != nullptr) {
    islands_ = &room_->replication_log().islands_since(request.base_tick);
    mark_held(*request.base, request.base_tick);
    mark_born(*request.base, request.base_tick);
    judge_islands();
    pend_causes(request.base_tick);
    weigh_causes();
    if (!tell_causes(snapshot.causes)) {
      // There are more causes than can be numbered: only those of the own island stay.
      tell_whole_where([](const Verdict& verdict) { return verdict.cause_bytes > 0; });
      snapshot.causes.clear();
      if (!tell_causes(snapshot.causes)) return false;
    }
  }
  gather_candidates(request, deferred);
  return admit(request, snapshot, deferred, view);
}

// --- which bodies are inside ---

SnapshotPlanner::Mark& SnapshotPlanner::mark(SlotId slot) {
  Mark& mark = marks_[slot];
  if (mark.stamp != stamp_) mark = {.stamp = stamp_};
  return mark;
}

SnapshotPlanner::Standing SnapshotPlanner::standing_of(SlotId slot) const {
  return marks_[slot].stamp == stamp_ ? marks_[slot].standing : Standing::Unknown;
}

const game::EntityState& SnapshotPlanner::entity_of(SlotId slot) const {
  return entities_[slots_->slot(slot).index];
}

/// Judges a member. A body placed out of sight since the base stays in view for a few ticks, until
/// a base has the new place. Otherwise all that it influenced would have to be sent in full. A
/// bullet always stays in view, which costs nothing and is soon over.
SnapshotPlanner::Standing SnapshotPlanner::judge_member(SlotId slot, Tick base) const {
  const BodySlot& lived = slots_->slot(slot);
  if (!lived.is_present()) return lived.left ? Standing::Outside : Standing::Inside;
  const Tick now = room_->world().tick;
  const Tick put_before{now.value - std::min(now.value, kPutSeenTicks + 1)};
  const bool stays =
      game::has_kind(lived.id, game::EntityKind::Bullet) ||
      interest_.keeps_seeing(centre_, entity_of(slot).min) ||
      room_->replication_log().teleports().has_since(slot, std::max(base, put_before));
  return stays ? Standing::Inside : Standing::Outside;
}

void SnapshotPlanner::mark_held(const ViewMembers& base, Tick base_tick) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    Mark& member = mark(base[i]);
    member.standing = judge_member(base[i], base_tick);
    member.is_member = true;
    member.member = static_cast<std::uint8_t>(i);
    held_.push_back(base[i]);
  }
}

void SnapshotPlanner::mark_born(const ViewMembers& base, Tick base_tick) {
  for (const SlotId owner : base) {
    if (standing_of(owner) != Standing::Inside) continue;
    room_->replication_log().bullet_spawns().visit_since(
        owner, base_tick, [&](Tick, const BulletSpawn& spawn) {
          const bool has_room = held_.size() < protocol::kViewMembersMax;
          mark(spawn.bullet).standing =
              has_room ? judge_member(spawn.bullet, base_tick) : Standing::Outside;
          held_.push_back(spawn.bullet);
        });
  }
}

// --- which islands are replayed ---

void SnapshotPlanner::judge_islands() {
  const bool is_closed = room_->rules().closed_under_contact();
  for (const SlotId slot : held_) {
    const SlotId root = islands_->root_of(slot);
    marks_[slot].root = root;
    Verdict& verdict = verdicts_[root];
    if (verdict.stamp == stamp_) continue;
    verdict = {.stamp = stamp_, .told_whole = !is_closed};
    SlotId member = root;
    do {
      verdict.told_whole = verdict.told_whole || standing_of(member) != Standing::Inside;
      member = islands_->next(member);
    } while (member != root && !verdict.told_whole);
  }
}

void SnapshotPlanner::pend_causes(Tick base) {
  inputs_.clear();
  shots_.clear();
  placements_.clear();
  const ReplicationLog& log = room_->replication_log();
  const Tick now = room_->world().tick;
  for (const SlotId slot : held_) {
    if (!is_replayed(slot)) continue;
    const std::uint8_t member = marks_[slot].member;
    std::size_t& cause_bytes = verdict_of(slot).cause_bytes;
    log.sticks().visit_since(slot, base, [&](Tick tick, const StickChange& change) {
      const std::uint8_t ago = protocol::ago(now, tick);
      cause_bytes += protocol::input_cause_bytes(ago);
      inputs_.push_back({slot, {.ago = ago, .member = member, .move = change.move}});
    });
    log.shots().visit_since(slot, base, [&](Tick tick, const ShotFired& shot) {
      cause_bytes += protocol::shot_cause_bytes(shot.weapon);
      shots_.push_back({slot,
                        {.ago = protocol::ago(now, tick),
                         .member = member,
                         .aim = shot.aim,
                         .weapon = shot.weapon}});
    });
    log.teleports().visit_since(slot, base, [&](Tick tick, const Teleport& put) {
      cause_bytes += protocol::kPlacementCauseBytes;
      placements_.push_back(
          {slot, {.ago = protocol::ago(now, tick), .member = member, .place = put.place}});
    });
  }
}

/// Sends bodies in full where their causes would take more bytes. The client's own island is the
/// exception: the client would not know whether somebody touched its body.
void SnapshotPlanner::weigh_causes() {
  const auto are_dear = [this](const auto& pending) {
    return std::ranges::any_of(pending, [this](const auto& entry) {
      return verdict_of(entry.slot).cause_bytes > kLeastBodyBytes;
    });
  };
  if (!are_dear(inputs_) && !are_dear(shots_) && !are_dear(placements_)) return;
  for (const SlotId slot : held_) {
    if (is_present(slot) && is_replayed(slot)) {
      verdict_of(slot).body_bytes += protocol::encoded_bytes(entity_of(slot));
    }
  }
  tell_whole_where([](const Verdict& verdict) { return verdict.cause_bytes > verdict.body_bytes; });
}

bool SnapshotPlanner::tell_causes(protocol::Causes& causes) {
  const auto tell = [this](auto& pending, auto& told) {
    std::erase_if(pending, [this](const auto& entry) { return !is_replayed(entry.slot); });
    if (pending.size() > told.capacity()) return false;
    std::ranges::sort(pending, [](const auto& a, const auto& b) {
      return std::tuple{b.cause.ago, a.cause.member} < std::tuple{a.cause.ago, b.cause.member};
    });
    for (const auto& entry : pending) {
      told.push_back(entry.cause);
    }
    return true;
  };
  return tell(inputs_, causes.inputs) && tell(shots_, causes.shots) &&
         tell(placements_, causes.placements);
}

// --- which bodies are sent in full ---

std::uint32_t SnapshotPlanner::nearness(SlotId slot) const {
  const std::int64_t units = distance(entity_of(slot).min, centre_) / kUnit;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, kFarUnits - units));
}

void SnapshotPlanner::gather_candidates(const ViewRequest& request,
                                        const DeferredBodies& deferred) {
  candidates_.clear();
  for (const DeferredBody& body : deferred) {
    Mark& waits = mark(body.slot);
    waits.priority = body.priority;
    waits.snapshots = body.snapshots;
  }
  const std::size_t members = request.base != nullptr ? request.base->size() : 0;
  for (const SlotId slot : std::span{held_}.first(members)) {
    const bool is_told = is_present(slot) && !is_replayed(slot) &&
                         (slot == own_ || interest_.keeps_seeing(centre_, entity_of(slot).min));
    if (!is_told) continue;
    const std::uint32_t priority = slot == own_ ? kOwnPriority : kHeldPriority + nearness(slot);
    candidates_.push_back({slot, true, priority, 0});
  }
  for (const std::uint32_t index : interest_.query(centre_)) {
    const SlotId slot = slots_->present()[index];
    const Mark& known = mark(slot);
    if (known.is_member || (known.standing == Standing::Inside && is_replayed(slot))) continue;
    // A client without a base has lost what it held: the nearest bodies matter more than waiting
    // ones.
    const std::uint32_t waited = request.base != nullptr ? known.priority : 0;
    const std::uint32_t gathered = std::min(waited + nearness(slot), kHeldPriority - 1);
    candidates_.push_back({slot, false, slot == own_ ? kOwnPriority : gathered, known.snapshots});
  }
  std::ranges::sort(candidates_, [this](const Candidate& a, const Candidate& b) {
    return std::tuple{b.priority, slots_->slot(a.slot).id} <
           std::tuple{a.priority, slots_->slot(b.slot).id};
  });
}

/// Adds as many bodies in full as the budget takes, and makes the view that results.
bool SnapshotPlanner::admit(const ViewRequest& request, protocol::Snapshot& snapshot,
                            DeferredBodies& deferred, ViewMembers& view) {
  for (const SlotId slot : held_) {
    if (is_present(slot) && is_replayed(slot)) view.push_back(slot);
  }
  const std::size_t members = request.base != nullptr ? request.base->size() : 0;
  const std::size_t fixed = protocol::kSnapshotFrameBytes + request.bytes_kept +
                            protocol::encoded_bytes(snapshot.causes) + members;
  if (fixed > request.bytes_max) return false;
  std::size_t left = request.bytes_max - fixed;
  const std::size_t headroom = request.base != nullptr ? kHeadroomBytes : 0;
  const bool is_own_told = !candidates_.empty() && candidates_.front().slot == own_;
  if (is_own_told && protocol::encoded_bytes(entity_of(own_)) > left) return false;
  deferred.clear();
  deferred_ = 0;
  for (const Candidate& candidate : candidates_) {
    const game::EntityState& entity = entity_of(candidate.slot);
    const std::size_t bytes = protocol::encoded_bytes(entity);
    const bool is_new = !candidate.is_held && candidate.slot != own_;
    const bool fits =
        bytes + (is_new ? headroom : 0) <= left && !view.full() && !snapshot.bodies.full();
    if (fits) {
      left -= bytes;
      snapshot.bodies.push_back(entity);
      view.push_back(candidate.slot);
    } else {
      ++deferred_;
    }
    if (is_new && !deferred.full()) {
      deferred.push_back({.slot = candidate.slot,
                          .priority = candidate.priority,
                          .snapshots = candidate.snapshots + (fits ? 0U : 1U)});
    }
  }
  std::ranges::sort(snapshot.bodies, {}, &game::EntityState::id);
  sort_by_id(view);
  if (request.base != nullptr) tell_leaves(*request.base, snapshot);
  return true;
}

/// Sorts by insertion: the base's members are in order already, and few bodies come after them.
void SnapshotPlanner::sort_by_id(ViewMembers& view) const {
  for (std::size_t i = 1; i < view.size(); ++i) {
    const SlotId slot = view[i];
    const BodyId id = slots_->slot(slot).id;
    std::size_t at = i;
    for (; at > 0 && id < slots_->slot(view[at - 1]).id; --at) {
      view[at] = view[at - 1];
    }
    view[at] = slot;
  }
}

void SnapshotPlanner::weigh_bodies(const protocol::Snapshot& snapshot, ViewPlan& plan) const {
  for (const game::EntityState& body : snapshot.bodies) {
    const bool is_held = standing_of(slots_->find(body.id)) != Standing::Unknown;
    (is_held ? plan.set_bytes : plan.enter_bytes) += protocol::encoded_bytes(body);
  }
}

/// Adds the members of the base that are not in the new view, and that no replay shows to be dead.
void SnapshotPlanner::tell_leaves(const ViewMembers& base, protocol::Snapshot& snapshot) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (is_replayed(base[i])) continue;
    const bool is_whole = std::ranges::binary_search(snapshot.bodies, slots_->slot(base[i]).id, {},
                                                     &game::EntityState::id);
    if (!is_whole) snapshot.causes.leaves.push_back(static_cast<std::uint8_t>(i));
  }
}

}  // namespace tickbox::server
