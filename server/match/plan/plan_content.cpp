#include "server/match/plan/plan_content.h"

#include "engine/declared.h"
#include "server/match/plan/planner.h"

namespace tickbox::server {
namespace {

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

}  // namespace

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

}  // namespace tickbox::server
