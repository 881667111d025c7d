#include "server/match/ray_judge.h"

#include "core/assert.h"
#include "engine/entity_id.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::server {
namespace {

/// Returns a box that contains the whole path of a cast.
sim::Box hull_of(const sim::Cast& cast) {
  sim::Box hull;
  for (sim::Axis axis = 0; axis < sim::kAxes; ++axis) {
    const std::int64_t from = cast.from[axis];
    const std::int64_t to = from + cast.way[axis];
    hull.min[axis] = std::min(from, to);
    hull.max[axis] = std::max(from, to) + cast.size[axis];
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

/// Whether the physics can cast a ray: its numbers come from a game's rules.
bool is_possible(const Ray& ray) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (std::abs(std::int64_t{ray.from[axis]}) > kWorldLimit) return false;
    if (std::abs(std::int64_t{ray.way[axis]}) > sim::kCastWayLimit) return false;
  }
  return true;
}

bool is_fixed(const views::Rows& rows, std::size_t row) {
  return rows.kind_of(row).body(rows.state(row).data()).motion == Motion::Fixed;
}

/// The body of a row as it was, for a cast.
sim::Body body_of(const views::Rows& rows, std::size_t row) {
  const Body of = rows.kind_of(row).body(rows.state(row).data());
  return {.id = rows.head(row).id,
          .kind = of.motion == Motion::Dynamic ? sim::Kind::Dynamic : sim::Kind::Kinematic,
          .min = rows.head(row).min,
          .size = of.size,
          .layers = of.layers,
          .collides_with = of.collides_with,
          .sensor = of.sensor,
          .one_way = of.one_way};
}

/// Returns whether the server has decided for a body after `tick`.
bool was_decided(const MatchHistory& history, BodyId id, Tick tick) {
  const SlotId slot = history.slots().find(id);
  if (slot == kNoSlot || !history.outcomes().has_since(slot, tick)) return false;
  return !history.outcomes().visit_since(
      slot, tick, [](Tick, const OutcomeCause& cause) { return cause.is_strike; });
}

}  // namespace

RayJudge::RayJudge(std::uint32_t tick_rate) : look_back_max_(tick_rate * kLookBackMaxMs / 1'000) {
  TICKBOX_ASSERT(look_back_max_ < protocol::kTicksRemembered);
}

void RayJudge::judge(const Match& match, std::span<const std::uint8_t> look_back,
                     std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes) {
  // The world's tick is already the one that is stepped.
  const Tick next = match.history().tick() + 1;
  casts_.clear();
  for (std::uint32_t i = 0; i < rays.size(); ++i) {
    const engine::FiredRay& fired = rays[i];
    if (!is_possible(fired.ray)) continue;
    const std::uint32_t back =
        std::min({std::uint32_t{look_back[fired.shooter.seat]}, look_back_max_, next.value});
    casts_.push_back({.seen_tick = std::min(match.history().tick(), Tick{next.value - back}),
                      .shooter = fired.shooter,
                      .number = i,
                      .cast = {.from = fired.ray.from,
                               .way = fired.ray.way,
                               .layers = fired.ray.layers,
                               .collides_with = fired.ray.collides_with,
                               .ignores = engine::body_id(fired.ray.ignores)}});
  }
  // The rays that look at the same tick share one index of its bodies.
  std::ranges::sort(casts_, {},
                    [](const Cast& cast) { return std::tuple{cast.seen_tick, cast.number}; });
  for (std::size_t first = 0; first < casts_.size();) {
    std::size_t end = first;
    while (end < casts_.size() && casts_[end].seen_tick == casts_[first].seen_tick) {
      ++end;
    }
    cast_at(match, std::span{casts_}.subspan(first, end - first));
    first = end;
  }
  std::ranges::sort(casts_, {},
                    [](const Cast& cast) { return std::tuple{cast.shooter.seat, cast.number}; });
  for (const Cast& cast : casts_) {
    if (cast.victim == sim::kNoBody) continue;
    strikes.push_back({.shooter = cast.shooter, .victim = engine::ref_of(cast.victim)});
  }
}

/// Casts rays that look at the same tick, and sets their victims.
void RayJudge::cast_at(const Match& match, std::span<Cast> casts) {
  sim::Box area = hull_of(casts.front().cast);
  for (const Cast& cast : casts) {
    area = union_of(area, hull_of(cast.cast));
  }
  gather_bodies(match, area, casts.front().seen_tick);
  const sim::PhysicsWorld& physics = match.world().physics();
  caster_.rebuild(physics.immovables(), physics.settings().border, bodies_);
  for (Cast& cast : casts) {
    const std::optional<sim::CastHit> hit = caster_.nearest(cast.cast);
    const bool is_there = hit && engine::is_entity(hit->body) &&
                          match.world().index_of(hit->body) != match.world().size();
    if (is_there) cast.victim = hit->body;
  }
}

/// Gathers the moving bodies in an area as they were in a tick, except those decided for since.
/// Fixed ones count as they are now, as the walls do.
void RayJudge::gather_bodies(const Match& match, const sim::Box& area, Tick seen_tick) {
  // A crowd that is larger than any before it must not cost an allocation.
  bodies_.reserve(match.history().slots().capacity());
  caster_.reserve(match.history().slots().capacity());
  bodies_.clear();
  const StateAt* state = match.state_after(seen_tick);
  if (state == nullptr) state = match.state_after(match.history().tick());
  for (std::size_t row = 0; row < state->rows.size(); ++row) {
    if (is_fixed(state->rows, row)) continue;
    const sim::Body body = body_of(state->rows, row);
    if (!sim::overlap(area, sim::box_of(body.min, body.size))) continue;
    if (was_decided(match.history(), body.id, seen_tick)) continue;
    bodies_.push_back(body);
  }
}

}  // namespace tickbox::server
