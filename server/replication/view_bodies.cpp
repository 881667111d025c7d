#include "server/replication/view_bodies.h"

#include "protocol/cause_codec.h"
#include "protocol/snapshot_codec.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tickbox::server {
namespace {

/// Bytes that bodies new to a view must leave free. A crowded view then has space for what happens
/// next, and the client does not need a full view.
constexpr std::size_t kHeadroomBytes = 256;

/// Priorities: known bodies go before bodies that are new to the view.
constexpr std::uint32_t kOwnPriority = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kKnownPriority = 1U << 30;

/// The distance in units from which on all bodies count as equally far.
constexpr std::int64_t kFarUnits = 64;

std::uint32_t nearness(const game::EntityState& entity, Vec2 centre) {
  const std::int64_t units = distance(entity.min, centre) / kUnit;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, kFarUnits - units));
}

}  // namespace

void list_candidates(const PlanInput& input, const ClientBodies& bodies,
                     std::vector<std::uint32_t>& visible, std::vector<Candidate>& candidates) {
  const PlannedTick& tick = input.tick;
  candidates.clear();
  const SlotId own = input.own();
  const Vec2 centre = input.centre();
  const ViewMembers* base = input.request.base;
  const std::size_t members = base != nullptr ? base->size() : 0;
  for (const SlotId slot : std::span{bodies.known}.first(members)) {
    if (!tick.is_present(slot) || bodies.is_replayed(slot)) continue;
    const game::EntityState& entity = tick.entity_of(slot);
    if (slot != own && !tick.interest.keeps_seeing(centre, entity.min)) continue;
    candidates.push_back(
        {.slot = slot,
         .is_known = true,
         .is_new = false,
         .priority = slot == own ? kOwnPriority : kKnownPriority + nearness(entity, centre),
         .snapshots = 0});
  }
  tick.interest.query(centre, visible);
  for (const std::uint32_t index : visible) {
    const SlotId slot = tick.slots->present()[index];
    const SlotState& state = bodies.states[slot];
    if (state.is_in_base || bodies.is_replayed(slot)) continue;
    // A client without a base has lost its view: the nearest bodies matter more than deferred ones.
    const std::uint32_t before = base != nullptr ? state.priority : 0;
    const std::uint32_t gathered =
        std::min(before + nearness(tick.entities[index], centre), kKnownPriority - 1);
    candidates.push_back({.slot = slot,
                          .is_known = state.membership != Membership::Unknown,
                          .is_new = slot != own,
                          .priority = slot == own ? kOwnPriority : gathered,
                          .snapshots = state.snapshots});
  }
  std::ranges::sort(candidates, [&](const Candidate& a, const Candidate& b) {
    return std::tuple{b.priority, tick.slots->slot(a.slot).id} <
           std::tuple{a.priority, tick.slots->slot(b.slot).id};
  });
}

std::optional<BodyBudget> body_budget(const ViewRequest& request, const protocol::Causes& causes) {
  // Every member of the base may exit, which takes a byte.
  const bool has_base = request.base != nullptr;
  const std::size_t rest = protocol::kSnapshotFrameBytes + request.bytes_kept +
                           protocol::encoded_bytes(causes) + (has_base ? request.base->size() : 0);
  if (rest > request.bytes_max) return std::nullopt;
  return BodyBudget{.bytes = request.bytes_max - rest, .headroom = has_base ? kHeadroomBytes : 0};
}

std::optional<ChosenBodies> choose_bodies(const PlannedTick& tick, const BodyBudget& budget,
                                          std::span<Candidate> candidates, SnapshotBodies& chosen,
                                          ViewMembers& view) {
  ChosenBodies result;
  std::size_t left = budget.bytes;
  const auto bytes_of = [&](const Candidate& candidate) {
    return protocol::encoded_bytes(tick.entity_of(candidate.slot));
  };
  const bool has_own = !candidates.empty() && candidates.front().priority == kOwnPriority;
  if (has_own && bytes_of(candidates.front()) > left) return std::nullopt;
  for (Candidate& candidate : candidates) {
    const std::size_t bytes = bytes_of(candidate);
    const std::size_t needed = bytes + (candidate.is_new ? budget.headroom : 0);
    candidate.is_chosen = needed <= left && !view.full() && !chosen.full();
    if (candidate.is_chosen) {
      left -= bytes;
      chosen.push_back(tick.entity_of(candidate.slot));
      view.push_back(candidate.slot);
      (candidate.is_known ? result.set_bytes : result.enter_bytes) += bytes;
    } else {
      ++result.deferred;
    }
  }
  std::ranges::sort(chosen, {}, &game::EntityState::id);
  return result;
}

void list_deferred(std::span<const Candidate> candidates, DeferredBodies& deferred) {
  deferred.clear();
  for (const Candidate& candidate : candidates) {
    if (deferred.full()) return;
    if (!candidate.is_new) continue;
    deferred.push_back({.slot = candidate.slot,
                        .priority = candidate.priority,
                        .snapshots = candidate.snapshots + (candidate.is_chosen ? 0U : 1U)});
  }
}

void write_exits(const PlanInput& input, const ClientBodies& bodies, const SnapshotBodies& chosen,
                 protocol::Causes& causes) {
  const ViewMembers& base = *input.request.base;
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (bodies.is_replayed(base[i])) continue;
    const bool is_in_full = std::ranges::binary_search(chosen, input.tick.slots->slot(base[i]).id,
                                                       {}, &game::EntityState::id);
    if (!is_in_full) causes.exits.push_back(static_cast<std::uint8_t>(i));
  }
}

}  // namespace tickbox::server
