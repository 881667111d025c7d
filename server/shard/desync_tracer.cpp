#include "server/shard/desync_tracer.h"

#include "core/assert.h"
#include "net/packet.h"
#include "protocol/messages.h"

#include <algorithm>
#include <span>
#include <utility>

namespace tickbox::server {
namespace {

using Members = std::vector<game::EntityState>;

/// The least time between two answers to repeated parts: parts of one round arrive together.
constexpr Duration kAnswerAgain = std::chrono::milliseconds{200};

DesyncTracer::Refused limited() {
  return {.reason = net::DropReason::RateLimited, .is_limited = true};
}

std::size_t index_in(const StateAt& state, BodyId id) {
  const auto entity = std::ranges::lower_bound(state.entities, id, {}, &game::EntityState::id);
  TICKBOX_ASSERT(entity != state.entities.end() && entity->id == id);
  return static_cast<std::size_t>(entity - state.entities.begin());
}

/// The bodies sent to a session for a tick, while both the view and the state are remembered.
struct SentView {
  const ViewMembers* members = nullptr;
  const StateAt* state = nullptr;
  const BodySlots* slots = nullptr;

  [[nodiscard]] bool is_remembered() const { return members != nullptr && state != nullptr; }

  /// Returns the low 32 bits, as they were sent.
  [[nodiscard]] std::uint32_t hash() const {
    game::ViewHash hash;
    for (const SlotId slot : *members) {
      hash.add(state->hashes[index_in(*state, slots->slot(slot).id)]);
    }
    return static_cast<std::uint32_t>(hash.value() & 0xffff'ffff);
  }

  [[nodiscard]] Members bodies() const {
    Members bodies;
    bodies.reserve(members->size());
    for (const SlotId slot : *members) {
      bodies.push_back(state->entities[index_in(*state, slots->slot(slot).id)]);
    }
    return bodies;
  }
};

SentView sent_view(const Session& session, const Room& room, Tick tick) {
  return {.members = session.views->find(tick, room.world().tick),
          .state = room.state_history().find(tick),
          .slots = &room.replication_log().slots()};
}

bool holds(std::span<const game::EntityState> members, BodyId id) {
  return std::ranges::binary_search(members, id, {}, &game::EntityState::id);
}

/// Returns all causes of members of the base or the view since the base, by tick and id.
std::vector<protocol::DesyncCause> causes_of(const Room& room, const protocol::ViewName& view,
                                             std::span<const game::EntityState> base,
                                             std::span<const game::EntityState> truth) {
  using Kind = protocol::DesyncCause::Kind;
  std::vector<protocol::DesyncCause> causes;
  const ReplicationLog& log = room.replication_log();
  const auto add = [&](Tick tick, SlotId slot, Kind kind, std::uint16_t value) {
    const BodyId id = log.slots().slot(slot).id;
    if (holds(base, id) || holds(truth, id)) causes.push_back({tick, id, kind, value});
  };
  for (Tick tick{view.tick.value - view.base_age + 1}; tick <= view.tick; tick = tick + 1) {
    const std::size_t first = causes.size();
    for (const StickChange& change : log.sticks().causes_of(tick)) {
      add(tick, change.slot, Kind::Input, change.move);
    }
    for (const ShotFired& shot : log.shots().causes_of(tick)) {
      add(tick, shot.slot, protocol::kind_of(shot.weapon), shot.aim);
    }
    for (const Teleport& teleport : log.teleports().causes_of(tick)) {
      add(tick, teleport.slot, Kind::Placement, teleport.place);
    }
    std::ranges::sort(std::span{causes}.subspan(first), {}, [](const protocol::DesyncCause& each) {
      return std::pair{each.entity, each.kind};
    });
  }
  return causes;
}

std::uint8_t all_parts(std::size_t members) {
  return static_cast<std::uint8_t>((1U << protocol::parts_of(members)) - 1);
}

}  // namespace

DesyncTracer::Trace* DesyncTracer::find(const Session& session) {
  const auto is_its = [&](const Trace& trace) {
    return trace.is_used && trace.connection == session.channel.connection();
  };
  const auto found = std::ranges::find_if(traces_, is_its);
  return found == traces_.end() ? nullptr : &*found;
}

DesyncTracer::Trace* DesyncTracer::free_trace() {
  const auto found = std::ranges::find(traces_, false, &Trace::is_used);
  if (found != traces_.end()) return &*found;
  return traces_.size() < kTracesHeld ? &traces_.emplace_back() : nullptr;
}

/// Begins a trace with a copy of the true state.  Returns nullptr if the view is not remembered.
std::expected<DesyncTracer::Trace*, DesyncTracer::Refused> DesyncTracer::begin(
    Session& session, const Room& room, const protocol::ViewName& view, Instant now) {
  if (view.tick > room.world().tick) return std::unexpected{Refused{}};
  const SentView sent = sent_view(session, room, view.tick);
  if (!sent.is_remembered()) return nullptr;
  if (sent.hash() != view.said) return std::unexpected{Refused{}};
  const bool is_too_soon = session.traced && now - *session.traced < kTraceInterval;
  Trace* trace = free_trace();
  if (is_too_soon || trace == nullptr || !begun_.take(kTraces, now)) {
    return std::unexpected{limited()};
  }
  session.traced = now;
  *trace = {.is_used = true,
            .connection = session.channel.connection(),
            .seat = session.player,
            .began = now,
            .view = view,
            .truth = sent.bodies()};
  if (view.base_age > 0) {
    const SentView base = sent_view(session, room, {view.tick.value - view.base_age});
    if (base.is_remembered()) trace->base = base.bodies();
    trace->causes = causes_of(
        room, view, trace->base ? std::span{*trace->base} : std::span<game::EntityState>{},
        trace->truth);
  }
  return trace;
}

std::expected<DesyncTracer::Taken, DesyncTracer::Refused> DesyncTracer::take(
    Session& session, const Room& room, const protocol::ViewPart& part, std::size_t bytes,
    Instant now) {
  if (part.parts == 0) return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  Trace* trace = find(session);
  if (trace != nullptr && trace->view != part.view) return std::unexpected{limited()};
  if (trace == nullptr) {
    const auto begun = begin(session, room, part.view, now);
    if (!begun) return std::unexpected{begun.error()};
    trace = *begun;
    if (trace == nullptr) return Taken{.is_forgotten = true};
  }
  trace->bytes_left += bytes;
  const bool fits = trace->told.take(part);
  const bool is_new = fits && trace->told.is_whole() && !trace->is_compared;
  if (!fits || (is_new && protocol::view_hash(trace->told.members()) != trace->view.made)) {
    trace->is_used = false;
    return std::unexpected{Refused{.reason = net::DropReason::Malformed}};
  }
  if (!trace->told.is_whole()) return Taken{};
  if (is_new || now - trace->answered >= kAnswerAgain) {
    trace->to_send = all_parts(trace->truth.size()) & static_cast<std::uint8_t>(~part.arrived);
    trace->answered = now;
  }
  if (!is_new) return Taken{};
  trace->is_compared = true;
  const auto told = trace->told.members();
  return Taken{.compared = protocol::Desync{.side = protocol::DesyncSide::Server,
                                            .end = protocol::DesyncEnd::Compared,
                                            .seat = trace->seat,
                                            .view = trace->view,
                                            .server_view = trace->truth,
                                            .client_view = std::vector(told.begin(), told.end()),
                                            .base_view = trace->base,
                                            .causes = trace->causes,
                                            .difference = game::compare_views(trace->truth, told)}};
}

std::optional<protocol::ViewPart> DesyncTracer::next_answer(const Session& session) {
  Trace* trace = find(session);
  if (trace == nullptr || trace->to_send == 0) return std::nullopt;
  std::uint8_t number = 0;
  while ((std::uint32_t{trace->to_send} >> number & 1U) == 0) {
    ++number;
  }
  protocol::ViewPart part = protocol::part_of(trace->view, trace->truth, number);
  const std::size_t bytes =
      net::kPacketOverheadBytes + protocol::view_part_bytes(part.bodies.size());
  if (bytes > trace->bytes_left) return std::nullopt;
  trace->bytes_left -= bytes;
  trace->to_send = static_cast<std::uint8_t>(trace->to_send & ~(1U << number));
  part.arrived = trace->told.arrived();
  return part;
}

std::optional<DesyncTracer::Unfinished> DesyncTracer::end(Trace& trace) {
  trace.is_used = false;
  if (trace.is_compared) return std::nullopt;
  return Unfinished{.seat = trace.seat,
                    .view = trace.view,
                    .arrived = trace.told.arrived(),
                    .parts = trace.told.parts()};
}

std::optional<DesyncTracer::Unfinished> DesyncTracer::forget(const Session& session) {
  Trace* trace = find(session);
  return trace != nullptr ? end(*trace) : std::nullopt;
}

std::optional<DesyncTracer::Unfinished> DesyncTracer::expire(Instant now) {
  for (Trace& trace : traces_) {
    if (!trace.is_used || now - trace.began < kTraceKept) continue;
    if (auto unfinished = end(trace)) return unfinished;
  }
  return std::nullopt;
}

}  // namespace tickbox::server
