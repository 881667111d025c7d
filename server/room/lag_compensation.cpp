#include "server/room/lag_compensation.h"

#include "sim/box.h"

#include <algorithm>

namespace tickbox::server {
namespace {

/// Returns a box that contains the whole path of the ray.
sim::Box hull_of(const sim::Cast& ray) {
  sim::Box hull;
  for (sim::Axis axis = 0; axis < sim::kAxes; ++axis) {
    const std::int64_t from = ray.from[axis];
    const std::int64_t to = from + ray.way[axis];
    hull.min[axis] = std::min(from, to);
    hull.max[axis] = std::max(from, to) + ray.size[axis];
  }
  return hull;
}

/// Returns whether a player was teleported after `tick`: its body is then not where it was seen.
bool was_teleported_since(const ReplicationLog& log, BodyId player, Tick tick) {
  const SlotId slot = log.slots().find(player);
  return slot != kNoSlot && log.teleports().has_since(slot, tick);
}

}  // namespace

LagCompensation::LagCompensation(std::uint32_t tick_rate)
    : look_back_max_(tick_rate * kLookBackMaxMs / 1'000) {}

std::span<const game::Strike> LagCompensation::judge(const Room& room,
                                                     std::span<const game::PlayerInput> inputs) {
  const std::size_t most = room.replication_log().slots().capacity();
  strikes_.reserve(room.world().seats().size());
  movers_.reserve(most);
  caster_.reserve(most);
  strikes_.clear();
  const Tick next = room.world().tick + 1;
  for (const game::PlayerInput& given : inputs) {
    const std::optional<sim::Cast> ray = room.rules().ray_of(room.world(), given);
    if (!ray) continue;
    const std::uint32_t back =
        std::min({std::uint32_t{given.input.look_back}, look_back_max_, next.value});
    const Tick render_tick = std::min(room.world().tick, Tick{next.value - back});
    if (const std::optional<BodyId> victim = struck_by(room, *ray, render_tick)) {
      strikes_.push_back({.shooter = given.player, .victim = *victim});
    }
  }
  return strikes_;
}

std::optional<BodyId> LagCompensation::struck_by(const Room& room, const sim::Cast& ray,
                                                 Tick render_tick) {
  gather_movers(room, ray, render_tick);
  const sim::World& physics = room.world().physics();
  caster_.look_at(physics.statics(), physics.settings().border, movers_);
  const std::optional<sim::CastHit> hit = caster_.nearest(ray);
  const bool is_player = hit && game::is_entity(hit->body) &&
                         game::has_kind(hit->body, game::EntityKind::Player) &&
                         room.world().index_of(hit->body) != room.world().size();
  return is_player ? std::optional{hit->body} : std::nullopt;
}

/// Gathers the bodies in the ray's way in that tick, except players teleported since.
void LagCompensation::gather_movers(const Room& room, const sim::Cast& ray, Tick render_tick) {
  movers_.clear();
  const StateAt* state = room.state_after(render_tick);
  if (state == nullptr) state = room.state_after(room.world().tick);
  const sim::Box hull = hull_of(ray);
  for (const game::EntityState& entity : state->entities) {
    if (entity.traits.kind == game::EntityKind::Bullet) break;  // bullets are the last by id
    const sim::Body body = room.rules().body_for(entity);
    if (!sim::overlap(hull, sim::box_of(body.min, body.size))) continue;
    const bool is_player = entity.traits.kind == game::EntityKind::Player;
    if (is_player && was_teleported_since(room.replication_log(), entity.id, render_tick)) continue;
    movers_.push_back(body);
  }
}

}  // namespace tickbox::server
