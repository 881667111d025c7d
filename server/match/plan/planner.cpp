#include "server/match/plan/planner.h"

#include "core/assert.h"
#include "engine/declared.h"
#include "net/transport.h"

#include <algorithm>
#include <optional>

namespace tickbox::server {
namespace {

// --- the first stage: whether a plan surely has no news ---

/// Returns whether the snapshot would have a cause that acts on the body.
bool has_cause(const ClientContext& client, SlotId slot) {
  const MatchHistory& history = client.tick.match->history();
  const Tick base = client.request.base_tick;
  const std::uint16_t seat = client.tick.bodies[slot].seat;
  return (seat != kNoSeat && history.inputs().ticks_since(seat, base) != 0) ||
         history.last_cause_of(slot) > base;
}

/// Returns whether a body that is no member would be added to the view: of those in sight, of the
/// player's own, or of those of the view sent last that are near enough to stay.
bool has_others(const ClientContext& client, const SlotSet& members) {
  const auto is_other = [&](SlotId slot) { return !members.contains(slot); };
  const auto returns = [&](SlotId slot) {
    const PlannedBody& body = client.tick.bodies[slot];
    return is_other(slot) && body.is_present && keeps_seeing(client.eye, body.extent);
  };
  const Members* const last = client.request.last;
  const bool has_new_last = last != nullptr && last != client.request.base;
  return std::ranges::any_of(client.own, is_other) ||
         (has_new_last && std::ranges::any_of(*last, returns)) ||
         client.tick.interest.any_in_sight(client.eye, is_other);
}

// --- the last stage: what was planned, as the bits of a snapshot's content ---
//
// The standard is common/views/FORMAT.md.

void write_payload(const MatchHistory& history, Tick tick, const Payload& payload,
                   engine::BitWriter& out) {
  if (payload.bits <= 64) return out.write(payload.value, payload.bits);
  engine::copy_bits(history.payloads(tick), payload.value, payload.bits, out);
}

void write_causes(const ClientContext& client, std::span<const WrittenCause> causes,
                  engine::BitWriter& out) {
  const MatchHistory& history = client.tick.match->history();
  const Tick now = client.tick.now();
  const unsigned width = client.index_bits();
  auto next = causes.begin();
  for (auto ago = static_cast<std::uint32_t>(now - client.request.base_tick); ago-- > 0;) {
    for (; next != causes.end() && next->ago == ago; ++next) {
      const std::uint64_t name = std::uint64_t{next->index} << 1U | 1U;
      const Payload& payload = next->payload;
      if (1 + width + payload.bits <= 64) {
        out.write(payload.value << (1 + width) | name, 1 + width + payload.bits);
      } else {
        out.write(name, 1 + width);
        write_payload(history, {now.value - ago}, payload, out);
      }
    }
    out.write(0, 1);
  }
}

void write_room(const ClientContext& client, engine::BitWriter& out) {
  const engine::World& world = client.tick.match->world();
  if (client.request.base == nullptr)
    return engine::pack_sparse(world.game().room, world.room(), out);
  const MatchHistory& history = client.tick.match->history();
  const Tick now = client.tick.now();
  const std::uint64_t ticks = history.room().ticks_since(0, client.request.base_tick);
  for (auto ago = static_cast<std::uint32_t>(now - client.request.base_tick); ago-- > 0;) {
    const bool has_changed = (ticks >> ago & 1U) != 0;
    out.write(has_changed ? 1 : 0, 1);
    if (!has_changed) continue;
    write_payload(history, {now.value - ago}, history.room().change(0, ago), out);
  }
}

bool has_room(const ClientContext& client) {
  const engine::World& world = client.tick.match->world();
  if (client.request.base != nullptr) {
    return client.tick.match->history().room().ticks_since(0, client.request.base_tick) != 0;
  }
  // More than a zero for each value: not the state by default.
  std::size_t values = 0;
  for (const FieldInfo& field : world.game().room.fields()) {
    values += field.times;
  }
  return client.tick.room_bits > values;
}

void write_rows(const ClientContext& client, const ClientBodies& bodies, const Members& chosen,
                engine::BitWriter& out) {
  const bool on_base = client.request.base != nullptr;
  views::write_origin(client.origin, out);
  for (const SlotId slot : chosen) {
    const PlannedBody& body = client.tick.bodies[slot];
    const SlotState& state = bodies.states[slot];
    if (state.is_in_base) {
      out.write(std::uint64_t{state.base_index} << 2U | 3U, 2 + client.index_bits());
    } else {
      out.write(1, on_base ? 2 : 1);
      client.tick.rows.write_id(slot, body.row, out);
    }
    client.tick.rows.write_row(slot, body.row, client.origin, out);
  }
  out.write(0, 1);
}

struct ContentSize {
  bool has_any = false;       ///< anything that the client cannot compute by itself
  std::size_t exit_bits = 0;  ///< of its exits
};

/// Writes what the stages before have planned.
ContentSize write_content(const ClientContext& client, const PlanScratch& planned,
                          std::vector<std::byte>& content) {
  content.clear();
  const views::Lists lists{.inputs = !planned.causes.inputs.empty(),
                           .outcomes = !planned.causes.outcomes.empty(),
                           .room = has_room(client),
                           .exits = !planned.exits.empty(),
                           .rows = !planned.chosen.empty()};
  if (!lists.any()) return {};
  engine::BitWriter out{content};
  views::write_head(client.index_bits(), lists, out);
  if (lists.inputs) write_causes(client, planned.causes.inputs, out);
  if (lists.outcomes) write_causes(client, planned.causes.outcomes, out);
  if (lists.room) write_room(client, out);
  const std::size_t before_exits = out.written();
  if (lists.exits) views::write_exits(planned.exits, client.request.base->size(), out);
  const std::size_t exit_bits = out.written() - before_exits;
  if (lists.rows) write_rows(client, planned.bodies, planned.chosen, out);
  return {.has_any = true, .exit_bits = exit_bits};
}

// --- the order of the stages ---

/// Decides which islands are replayed, and sorts their causes. Returns false if an own island
/// cannot be replayed.
bool plan_replay(const ClientContext& client, PlanScratch& scratch) {
  ClientBodies& bodies = scratch.bodies;
  Islands& islands = client.tick.match->history().islands_since(client.request.base_tick);
  mark_known(client, islands, bodies);
  plan_islands(islands, bodies);
  const bool are_own_replayed = gather_causes(client, islands, bodies, scratch.pending);
  scratch.work += kBodyWork * bodies.known.size() + scratch.pending.size();
  if (!are_own_replayed) return false;
  sort_causes(client, bodies, scratch.pending, scratch.causes);
  scratch.work += scratch.causes.inputs.size();
  return true;
}

/// Sorts present bodies by id.
void sort_by_id(const TickContext& tick, RowSet& rows, Members& members) {
  for (const SlotId slot : members) {
    rows.add(tick.bodies[slot].row);
  }
  auto next = members.begin();
  rows.pop_all([&](std::uint32_t row) { *next++ = tick.slots->present()[row]; });
}

/// Returns the hash of a view.
std::uint64_t hash_of(const TickContext& tick, const Members& view) {
  std::uint64_t sum = tick.match->state().room_hash;
  for (const SlotId slot : view) {
    sum += tick.bodies[slot].hash;
  }
  return sum;
}

/// Plans one snapshot, with or without a base. Returns nothing if an own island cannot be replayed
/// from the base, or if frame, events, causes, exits and own bodies in full do not fit.
std::optional<ViewPlan> try_plan(const ClientContext& client, PlanScratch& scratch,
                                 WaitingBodies& waiting, std::vector<std::byte>& content,
                                 Members& view) {
  const TickContext& tick = client.tick;
  const bool on_base = client.request.base != nullptr;
  ClientBodies& bodies = scratch.bodies;
  scratch.causes.clear();
  scratch.chosen.clear();
  scratch.exits.clear();
  view.clear();
  bodies.clear();
  mark_waiting(waiting, bodies);
  if (on_base && !plan_replay(client, scratch)) return std::nullopt;
  for (const SlotId slot : bodies.known) {
    if (tick.is_present(slot) && bodies.is_replayed(slot)) view.push_back(slot);
  }
  const std::optional<RowBudget> budget = row_budget(client, scratch.causes, view.size());
  if (!budget) return std::nullopt;
  const std::span<Candidate> candidates =
      list_candidates(client, *budget, bodies, scratch.visible, scratch.candidates);
  scratch.work += kBodyWork * scratch.visible.size();
  const std::optional<ChosenBodies> chosen =
      choose_bodies(client, *budget, bodies, candidates, scratch.chosen);
  if (!chosen) return std::nullopt;
  sort_by_id(tick, scratch.rows, scratch.chosen);
  // The members of the base are in order.
  const bool is_sorted =
      on_base && scratch.chosen.empty() && bodies.known.size() == client.request.base->size();
  view.insert(view.end(), scratch.chosen.begin(), scratch.chosen.end());
  if (!is_sorted) sort_by_id(tick, scratch.rows, view);
  list_waiting(candidates, client.request.members_max, waiting);
  if (on_base) list_exits(client, bodies, scratch.chosen, scratch.exits);
  const ContentSize content_size = write_content(client, scratch, content);
  return ViewPlan{.on_base = on_base,
                  .has_news = !on_base || content_size.has_any,
                  .view_hash = hash_of(tick, view),
                  .members = view.size(),
                  .new_body_bytes = chosen->new_bits / 8,
                  .known_body_bytes = chosen->known_bits / 8,
                  .exit_bytes = content_size.exit_bits / 8,
                  .waiting = waiting.size(),
                  .deferred = chosen->deferred,
                  .work = scratch.work};
}

/// Returns a plan that has ended early. Its work is that of the whole plan: the work of a client's
/// last plan stands for that of the next one, which may have news. What is done counts in the same
/// unit as what is wanted, or a shard with many quiet clients would seem to have no time.
ViewPlan quiet_plan(const Members& base) {
  return {.on_base = true, .has_view = false, .work = 2 * kBodyWork * base.size()};
}

}  // namespace

bool is_surely_quiet(const ClientContext& client, SlotSet& members) {
  const Members& base = *client.request.base;
  MatchHistory& history = client.tick.match->history();
  if (history.room().ticks_since(0, client.request.base_tick) != 0) return false;
  if (std::ranges::any_of(base, [&](SlotId slot) { return has_cause(client, slot); })) return false;
  members.clear();
  for (const SlotId slot : base) {
    if (membership_of(client, slot) != Membership::Inside) return false;
    members.add(slot);
  }
  const Islands& islands = history.islands_since(client.request.base_tick);
  const bool are_apart =
      std::ranges::all_of(base, [&](SlotId slot) { return members.contains(islands.next(slot)); });
  return are_apart && !has_others(client, members) &&
         row_budget(client, {}, base.size()).has_value();
}

void PlanScratch::grow(const BodySlots& slots) {
  bodies.grow(slots.size());
  members.grow(slots.size());
  visible.reserve(slots.capacity());
}

void Planner::begin_tick(Match& match, TickContext& tick) {
  tick_ = &tick;
  tick.read(match);
  scratch_.grow(*tick.slots);
  scratch_.rows.resize(match.world().size());
}

ViewPlan Planner::plan(const ViewRequest& request, WaitingBodies& waiting,
                       std::vector<std::byte>& content, Members& view) {
  scratch_.work = 0;
  const ClientContext client{*tick_, request};
  if (request.only_with_news && request.base != nullptr &&
      is_surely_quiet(client, scratch_.members)) {
    waiting.clear();
    content.clear();
    view.clear();
    return quiet_plan(*request.base);
  }
  std::optional<ViewPlan> plan = try_plan(client, scratch_, waiting, content, view);
  if (plan) return *plan;
  // A full view in a few bytes would discard most of the client's view.
  if (request.bytes_max < net::kDatagramBytesMax) {
    return {.on_base = request.base != nullptr, .fits = false, .work = scratch_.work};
  }
  ViewRequest full = request;
  full.base = nullptr;
  plan = try_plan({*tick_, full}, scratch_, waiting, content, view);
  TICKBOX_ASSERT(plan.has_value());
  return *plan;
}

}  // namespace tickbox::server
