#include "server/room/lag_compensation.h"

#include <algorithm>
#include <optional>
#include <utility>

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

/// Returns the smallest box that contains both.
sim::Box union_of(const sim::Box& a, const sim::Box& b) {
  sim::Box both;
  for (sim::Axis axis = 0; axis < sim::kAxes; ++axis) {
    both.min[axis] = std::min(a.min[axis], b.min[axis]);
    both.max[axis] = std::max(a.max[axis], b.max[axis]);
  }
  return both;
}

}  // namespace

LagCompensation::LagCompensation(std::uint32_t tick_rate)
    : look_back_max_(tick_rate * kLookBackMaxMs / 1'000) {}

std::span<const game::Strike> LagCompensation::judge(const Room& room,
                                                     std::span<const game::PlayerInput> inputs) {
  const std::size_t most = room.replication_log().slots().capacity();
  strikes_.reserve(room.world().seats().size());
  rays_.reserve(room.world().seats().size());
  movers_.reserve(most);
  caster_.reserve(most);
  teleported_.reserve(room.world().seats().size());
  gather_rays(room, inputs);
  if (!rays_.empty()) note_teleports(room);
  // The rays that look at the same tick share one index of its bodies.
  std::ranges::sort(rays_, {},
                    [](const Ray& ray) { return std::pair{ray.render_tick, ray.shooter}; });
  for (std::size_t first = 0; first < rays_.size();) {
    std::size_t end = first;
    while (end < rays_.size() && rays_[end].render_tick == rays_[first].render_tick) {
      ++end;
    }
    cast_rays(room, std::span{rays_}.subspan(first, end - first));
    first = end;
  }
  strikes_.clear();
  for (const Ray& ray : rays_) {
    if (ray.victim != sim::kNoBody) {
      strikes_.push_back({.shooter = ray.shooter, .victim = ray.victim});
    }
  }
  std::ranges::sort(strikes_, {}, &game::Strike::shooter);
  return strikes_;
}

void LagCompensation::gather_rays(const Room& room, std::span<const game::PlayerInput> inputs) {
  rays_.clear();
  const Tick next = room.world().tick + 1;
  for (const game::PlayerInput& given : inputs) {
    const std::optional<sim::Cast> cast = room.rules().ray_of(room.world(), given);
    if (!cast) continue;
    const std::uint32_t back =
        std::min({std::uint32_t{given.input.look_back}, look_back_max_, next.value});
    rays_.push_back({.render_tick = std::min(room.world().tick, Tick{next.value - back}),
                     .shooter = given.player,
                     .cast = *cast});
  }
}

/// Notes when each player was teleported last, as far as a ray can look back.
void LagCompensation::note_teleports(const Room& room) {
  const ReplicationLog& log = room.replication_log();
  teleported_.assign(room.world().seats().size(), {});
  const Tick now = room.world().tick;
  for (Tick tick{now.value - std::min(now.value, look_back_max_)}; tick <= now; tick = tick + 1) {
    for (const BodyTeleport& teleport : log.teleports().causes_of(tick)) {
      const BodyId body = log.slots().slot(teleport.slot).id;
      teleported_[game::player_of(body).value] = {.body = body, .tick = tick};
    }
  }
}

/// Casts rays that look at the same tick, and sets their victims.
void LagCompensation::cast_rays(const Room& room, std::span<Ray> rays) {
  sim::Box area = hull_of(rays.front().cast);
  for (const Ray& ray : rays) {
    area = union_of(area, hull_of(ray.cast));
  }
  gather_movers(room, area, rays.front().render_tick);
  const sim::World& physics = room.world().physics();
  caster_.look_at(physics.immovables(), physics.settings().border, movers_);
  for (Ray& ray : rays) {
    const std::optional<sim::CastHit> hit = caster_.nearest(ray.cast);
    const bool is_player = hit && game::is_entity(hit->body) &&
                           game::has_kind(hit->body, game::EntityKind::Player) &&
                           room.world().index_of(hit->body) != room.world().size();
    if (is_player) ray.victim = hit->body;
  }
}

/// Gathers the bodies in an area in a tick, except bullets, and players teleported since.
void LagCompensation::gather_movers(const Room& room, const sim::Box& area, Tick render_tick) {
  movers_.clear();
  const StateAt* state = room.state_after(render_tick);
  if (state == nullptr) state = room.state_after(room.world().tick);
  for (const game::EntityState& entity : state->entities) {
    if (entity.traits.kind == game::EntityKind::Bullet) break;  // bullets are the last by id
    const sim::Body body = room.rules().body_for(entity);
    if (!sim::overlap(area, sim::box_of(body.min, body.size))) continue;
    if (entity.traits.kind == game::EntityKind::Player) {
      // The body is not where it was seen.
      const Teleported& last = teleported_[game::player_of(entity.id).value];
      if (last.body == entity.id && last.tick > render_tick) continue;
    }
    movers_.push_back(body);
  }
}

}  // namespace tickbox::server
