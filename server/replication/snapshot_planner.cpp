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

void SnapshotPlanner::look(Room& room) {
  room_ = &room;
  lives_ = &room.history().lives();
  entities_ = room.entities();
  hashes_ = room.entity_hashes();
  interest_.look(room);
  marks_.resize(lives_->capacity());
  verdicts_.resize(lives_->capacity());
}

ViewPlan SnapshotPlanner::plan(const ViewRequest& request, Waiters& waiters,
                               protocol::Snapshot& snapshot, ViewMembers& view) {
  ViewPlan plan{.on_base = request.base != nullptr};
  if (!try_plan(request, waiters, snapshot, view)) {
    TICKBOX_ASSERT(plan.on_base);
    // A full view in a few bytes would discard most of what the client holds.
    plan.fits = request.bytes_max >= net::kDatagramBytesMax;
    if (!plan.fits) return plan;
    ViewRequest anew = request;
    anew.base = nullptr;
    plan.on_base = false;
    const bool fits = try_plan(anew, waiters, snapshot, view);
    TICKBOX_ASSERT(fits);
  }
  plan.deferred = deferred_;
  weigh_bodies(snapshot, plan);
  plan.has_news = !plan.on_base || !snapshot.causes.empty() || !snapshot.bodies.empty();
  game::ViewHash hash;
  for (const LifeId life : view) {
    hash.add(hashes_[lives_->of(life).index]);
  }
  plan.view_hash = hash.value();
  plan.members = view.size();
  return plan;
}

/// Sends the islands in full for which `is_told` is true, except the client's own island.
template <class Predicate>
void SnapshotPlanner::tell_whole_where(Predicate is_told) {
  const Verdict* own = standing_of(own_) == Standing::Inside ? &verdict_of(own_) : nullptr;
  for (const LifeId life : held_) {
    Verdict& verdict = verdict_of(life);
    if (&verdict != own && is_told(verdict)) verdict.told_whole = true;
  }
}

/// Returns false if the required content does not fit.
bool SnapshotPlanner::try_plan(const ViewRequest& request, Waiters& waiters,
                               protocol::Snapshot& snapshot, ViewMembers& view) {
  ++stamp_;
  own_ = lives_->present()[request.own];
  centre_ = entities_[request.own].min;
  snapshot.causes.clear();
  snapshot.bodies.clear();
  view.clear();
  held_.clear();
  if (request.base != nullptr) {
    islands_ = &room_->history().islands_since(request.base_tick);
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
  gather_candidates(request, waiters);
  return admit(request, snapshot, waiters, view);
}

// --- which bodies are inside ---

SnapshotPlanner::Mark& SnapshotPlanner::mark(LifeId life) {
  Mark& mark = marks_[life];
  if (mark.stamp != stamp_) mark = {.stamp = stamp_};
  return mark;
}

SnapshotPlanner::Standing SnapshotPlanner::standing_of(LifeId life) const {
  return marks_[life].stamp == stamp_ ? marks_[life].standing : Standing::Unknown;
}

const game::EntityState& SnapshotPlanner::entity_of(LifeId life) const {
  return entities_[lives_->of(life).index];
}

/// Judges a member. A body placed out of sight since the base stays in view for a few ticks, until
/// a base has the new place. Otherwise all that it influenced would have to be sent in full. A
/// bullet always stays in view, which costs nothing and is soon over.
SnapshotPlanner::Standing SnapshotPlanner::judge_member(LifeId life, Tick base) const {
  const Life& lived = lives_->of(life);
  if (!lived.is_there()) return lived.left ? Standing::Outside : Standing::Inside;
  const Tick now = room_->world().tick;
  const Tick put_before{now.value - std::min(now.value, kPutSeenTicks + 1)};
  const bool stays = game::has_kind(lived.id, game::EntityKind::Bullet) ||
                     interest_.keeps_seeing(centre_, entity_of(life).min) ||
                     room_->history().relocations().has_since(life, std::max(base, put_before));
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
  for (const LifeId owner : base) {
    if (standing_of(owner) != Standing::Inside) continue;
    room_->history().births().visit_since(owner, base_tick, [&](Tick, const Birth& birth) {
      const bool has_room = held_.size() < protocol::kViewMembersMax;
      mark(birth.born).standing =
          has_room ? judge_member(birth.born, base_tick) : Standing::Outside;
      held_.push_back(birth.born);
    });
  }
}

// --- which islands are replayed ---

void SnapshotPlanner::judge_islands() {
  const bool is_closed = room_->rules().closed_under_contact();
  for (const LifeId life : held_) {
    const LifeId root = islands_->root_of(life);
    marks_[life].root = root;
    Verdict& verdict = verdicts_[root];
    if (verdict.stamp == stamp_) continue;
    verdict = {.stamp = stamp_, .told_whole = !is_closed};
    LifeId member = root;
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
  const History& history = room_->history();
  const Tick now = room_->world().tick;
  for (const LifeId life : held_) {
    if (!is_replayed(life)) continue;
    const std::uint8_t member = marks_[life].member;
    std::size_t& cause_bytes = verdict_of(life).cause_bytes;
    history.sticks().visit_since(life, base, [&](Tick tick, const StickChange& change) {
      const std::uint8_t ago = protocol::ago(now, tick);
      cause_bytes += protocol::input_cause_bytes(ago);
      inputs_.push_back({life, {.ago = ago, .member = member, .move = change.move}});
    });
    history.shots().visit_since(life, base, [&](Tick tick, const ShotFired& shot) {
      cause_bytes += protocol::shot_cause_bytes(shot.weapon);
      shots_.push_back({life,
                        {.ago = protocol::ago(now, tick),
                         .member = member,
                         .aim = shot.aim,
                         .weapon = shot.weapon}});
    });
    history.relocations().visit_since(life, base, [&](Tick tick, const Relocation& put) {
      cause_bytes += protocol::kPlacementCauseBytes;
      placements_.push_back(
          {life, {.ago = protocol::ago(now, tick), .member = member, .place = put.place}});
    });
  }
}

/// Sends bodies in full where their causes would take more bytes. The client's own island is the
/// exception: the client would not know whether somebody touched its body.
void SnapshotPlanner::weigh_causes() {
  const auto are_dear = [this](const auto& pending) {
    return std::ranges::any_of(pending, [this](const auto& entry) {
      return verdict_of(entry.life).cause_bytes > kLeastBodyBytes;
    });
  };
  if (!are_dear(inputs_) && !are_dear(shots_) && !are_dear(placements_)) return;
  for (const LifeId life : held_) {
    if (is_there(life) && is_replayed(life)) {
      verdict_of(life).body_bytes += protocol::encoded_bytes(entity_of(life));
    }
  }
  tell_whole_where([](const Verdict& verdict) { return verdict.cause_bytes > verdict.body_bytes; });
}

bool SnapshotPlanner::tell_causes(protocol::Causes& causes) {
  const auto tell = [this](auto& pending, auto& told) {
    std::erase_if(pending, [this](const auto& entry) { return !is_replayed(entry.life); });
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

std::uint32_t SnapshotPlanner::nearness(LifeId life) const {
  const std::int64_t units = distance(entity_of(life).min, centre_) / kUnit;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, kFarUnits - units));
}

void SnapshotPlanner::gather_candidates(const ViewRequest& request, const Waiters& waiters) {
  candidates_.clear();
  for (const Waiter& waiter : waiters) {
    Mark& waits = mark(waiter.life);
    waits.priority = waiter.priority;
    waits.snapshots = waiter.snapshots;
  }
  const std::size_t members = request.base != nullptr ? request.base->size() : 0;
  for (const LifeId life : std::span{held_}.first(members)) {
    const bool is_told = is_there(life) && !is_replayed(life) &&
                         (life == own_ || interest_.keeps_seeing(centre_, entity_of(life).min));
    if (!is_told) continue;
    const std::uint32_t priority = life == own_ ? kOwnPriority : kHeldPriority + nearness(life);
    candidates_.push_back({life, true, priority, 0});
  }
  for (const std::uint32_t index : interest_.seen_from(centre_)) {
    const LifeId life = lives_->present()[index];
    const Mark& known = mark(life);
    if (known.is_member || (known.standing == Standing::Inside && is_replayed(life))) continue;
    // A client without a base has lost what it held: the nearest bodies matter more than waiting
    // ones.
    const std::uint32_t waited = request.base != nullptr ? known.priority : 0;
    const std::uint32_t gathered = std::min(waited + nearness(life), kHeldPriority - 1);
    candidates_.push_back({life, false, life == own_ ? kOwnPriority : gathered, known.snapshots});
  }
  std::ranges::sort(candidates_, [this](const Candidate& a, const Candidate& b) {
    return std::tuple{b.priority, lives_->of(a.life).id} <
           std::tuple{a.priority, lives_->of(b.life).id};
  });
}

/// Adds as many bodies in full as the budget takes, and makes the view that results.
bool SnapshotPlanner::admit(const ViewRequest& request, protocol::Snapshot& snapshot,
                            Waiters& waiters, ViewMembers& view) {
  for (const LifeId life : held_) {
    if (is_there(life) && is_replayed(life)) view.push_back(life);
  }
  const std::size_t members = request.base != nullptr ? request.base->size() : 0;
  const std::size_t fixed = protocol::kSnapshotFrameBytes + request.bytes_kept +
                            protocol::encoded_bytes(snapshot.causes) + members;
  if (fixed > request.bytes_max) return false;
  std::size_t left = request.bytes_max - fixed;
  const std::size_t headroom = request.base != nullptr ? kHeadroomBytes : 0;
  const bool is_own_told = !candidates_.empty() && candidates_.front().life == own_;
  if (is_own_told && protocol::encoded_bytes(entity_of(own_)) > left) return false;
  waiters.clear();
  deferred_ = 0;
  for (const Candidate& candidate : candidates_) {
    const game::EntityState& entity = entity_of(candidate.life);
    const std::size_t bytes = protocol::encoded_bytes(entity);
    const bool is_new = !candidate.is_held && candidate.life != own_;
    const bool fits =
        bytes + (is_new ? headroom : 0) <= left && !view.full() && !snapshot.bodies.full();
    if (fits) {
      left -= bytes;
      snapshot.bodies.push_back(entity);
      view.push_back(candidate.life);
    } else {
      ++deferred_;
    }
    if (is_new && !waiters.full()) {
      waiters.push_back({.life = candidate.life,
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
    const LifeId life = view[i];
    const BodyId id = lives_->of(life).id;
    std::size_t at = i;
    for (; at > 0 && id < lives_->of(view[at - 1]).id; --at) {
      view[at] = view[at - 1];
    }
    view[at] = life;
  }
}

void SnapshotPlanner::weigh_bodies(const protocol::Snapshot& snapshot, ViewPlan& plan) const {
  for (const game::EntityState& body : snapshot.bodies) {
    const bool is_held = standing_of(lives_->find(body.id)) != Standing::Unknown;
    (is_held ? plan.set_bytes : plan.enter_bytes) += protocol::encoded_bytes(body);
  }
}

/// Adds the members of the base that are not in the new view, and that no replay shows to be dead.
void SnapshotPlanner::tell_leaves(const ViewMembers& base, protocol::Snapshot& snapshot) {
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (is_replayed(base[i])) continue;
    const bool is_whole = std::ranges::binary_search(snapshot.bodies, lives_->of(base[i]).id, {},
                                                     &game::EntityState::id);
    if (!is_whole) snapshot.causes.leaves.push_back(static_cast<std::uint8_t>(i));
  }
}

}  // namespace tickbox::server
