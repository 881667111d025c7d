#include "server/replication/pending_causes.h"

#include "protocol/cause_codec.h"
#include "protocol/snapshot_codec.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace tickbox::server {
namespace {

/// The bytes of the smallest body in full: an island with at most as many bytes
/// of causes is not sent in full because of their size.
constexpr std::size_t kLeastBodyBytes = 16;

constexpr std::size_t kPendingCauses = protocol::kViewMembersMax * protocol::kBaseAgeMax;

}  // namespace

PendingCauses::PendingCauses() {
  inputs.reserve(kPendingCauses);
  shots.reserve(kPendingCauses);
  teleports.reserve(kPendingCauses);
}

void gather_causes(const PlanInput& input, ClientBodies& bodies, PendingCauses& pending) {
  pending.inputs.clear();
  pending.shots.clear();
  pending.teleports.clear();
  const ReplicationLog& log = input.tick.room->replication_log();
  const Tick now = input.tick.now();
  const Tick base = input.request.base_tick;
  for (const SlotId slot : bodies.known) {
    if (!bodies.is_replayed(slot)) continue;
    const SlotState& state = bodies.states[slot];
    std::size_t& cause_bytes = bodies.islands[state.root].cause_bytes;
    log.sticks().visit_since(slot, base, [&](Tick at, const StickChange& change) {
      const std::uint8_t ago = protocol::ago(now, at);
      cause_bytes += protocol::input_cause_bytes(ago);
      pending.inputs.push_back(
          {slot, {.ago = ago, .base_index = state.base_index, .move = change.move}});
    });
    log.shots().visit_since(slot, base, [&](Tick at, const ShotFired& shot) {
      cause_bytes += protocol::shot_cause_bytes(shot.weapon);
      pending.shots.push_back({slot,
                               {.ago = protocol::ago(now, at),
                                .base_index = state.base_index,
                                .aim = shot.aim,
                                .weapon = shot.weapon}});
    });
    log.teleports().visit_since(slot, base, [&](Tick at, const BodyTeleport& teleport) {
      cause_bytes += protocol::kTeleportCauseBytes;
      pending.teleports.push_back({slot,
                                   {.ago = protocol::ago(now, at),
                                    .base_index = state.base_index,
                                    .place = teleport.place}});
    });
  }
}

void send_costly_islands_in_full(const PlanInput& input, const PendingCauses& pending,
                                 ClientBodies& bodies) {
  const auto are_costly = [&](const auto& entries) {
    return std::ranges::any_of(entries, [&](const auto& entry) {
      return bodies.island_of(entry.slot).cause_bytes > kLeastBodyBytes;
    });
  };
  if (!are_costly(pending.inputs) && !are_costly(pending.shots) && !are_costly(pending.teleports)) {
    return;
  }
  const PlannedTick& tick = input.tick;
  for (const SlotId slot : bodies.known) {
    IslandPlan& plan = bodies.island_of(slot);
    const bool counts = plan.cause_bytes > kLeastBodyBytes && tick.is_present(slot);
    if (counts) plan.body_bytes += protocol::encoded_bytes(tick.entity_of(slot));
  }
  send_in_full_if(input.own(), bodies, [](const IslandPlan& plan) {
    return plan.cause_bytes > kLeastBodyBytes && plan.cause_bytes > plan.body_bytes;
  });
}

bool write_causes(const ClientBodies& bodies, PendingCauses& pending, protocol::Causes& causes) {
  const auto write = [&](auto& entries, auto& out) {
    std::erase_if(entries, [&](const auto& entry) { return !bodies.is_replayed(entry.slot); });
    if (entries.size() > out.capacity()) return false;
    std::ranges::sort(entries, [](const auto& a, const auto& b) {
      return std::tuple{b.cause.ago, a.cause.base_index} <
             std::tuple{a.cause.ago, b.cause.base_index};
    });
    for (const auto& entry : entries) {
      out.push_back(entry.cause);
    }
    return true;
  };
  return write(pending.inputs, causes.inputs) && write(pending.shots, causes.shots) &&
         write(pending.teleports, causes.teleports);
}

}  // namespace tickbox::server
