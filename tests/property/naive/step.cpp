// The tick as a whole, and the time of impact of two boxes: rules 1, 4 and 8.

#include "tests/property/naive/step.h"

#include "tests/property/naive/run.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace tickbox::test {
namespace naive {

int compare(Time x, Time y) {
  if (x.q != y.q) return x.q < y.q ? -1 : 1;
  const i64 left = x.r * y.d;
  const i64 right = y.r * x.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

Time divide(i64 n, i64 d) {
  if (d < 0) return divide(-n, -d);
  const i64 q = n / d - (n % d < 0 ? 1 : 0);
  return {q, n - q * d, d};
}

i64 towards_zero(i64 v, i64 amount) {
  if (v > 0 && amount > 0) return v - std::min(v, amount);
  if (v < 0 && amount < 0) return v - std::max(v, amount);
  return v;
}

i64 rounded(i64 fine) {
  const i64 x = fine + (kSteps - 1) / 2;
  return x / kSteps - (x % kSteps < 0 ? 1 : 0);
}

bool meet(const Thing& x, const Thing& y) {
  return (x.body.layers & y.body.collides_with) != 0 &&
         (y.body.layers & x.body.collides_with) != 0 && x.body.ignores != y.body.id &&
         y.body.ignores != x.body.id;
}

bool collide(const Thing& x, const Thing& y) {
  return meet(x, y) && (x.dynamic() || y.dynamic()) && !x.ghost() && !y.ghost();
}

bool apart_by_rule(const Thing& x, const Thing& y) {
  return collide(x, y) && !x.one_way() && !y.one_way();
}

bool overlap_axis(const Thing& x, const Thing& y, std::size_t k, i64 s) {
  return x.at(k, s) < y.at(k, s) + y.size[k] && y.at(k, s) < x.at(k, s) + x.size[k];
}

bool overlap_now(const Thing& x, const Thing& y, i64 s) {
  return overlap_axis(x, y, 0, s) && overlap_axis(x, y, 1, s);
}

SolidSide solid_side(sim::OneWay one_way) {
  switch (one_way) {
    case sim::OneWay::Up:
      return {1, false};
    case sim::OneWay::Down:
      return {1, true};
    case sim::OneWay::Left:
      return {0, false};
    case sim::OneWay::Right:
      return {0, true};
    case sim::OneWay::None:
      break;
  }
  std::abort();
}

// A body has one position at each moment: of several turns at one s, the last is its course.
void turn(Thing& x, std::size_t k, i64 v, i64 s) {
  const i64 limit = kSpeedLimit;
  v = std::clamp(v, -limit, limit);
  if (v == x.v[k]) return;
  x.blocked[k] = {false, false};
  x.base[k] = x.at(k, s) - v * s;
  x.v[k] = v;
  if (!x.course.empty() && x.course.back().from == s) x.course.pop_back();
  x.course.push_back({s, x.base, x.v});
}

namespace {

Thing thing_of(const sim::Body& body) {
  Thing t;
  t.body = body;
  for (std::size_t k = 0; k < 2; ++k) {
    t.base[k] = body.min[k] * kSteps;
    t.size[k] = body.size[k] * kSteps;
    t.v[k] = t.mover() ? body.velocity[k] : 0;
  }
  return t;
}

std::optional<Hit> impact(const Thing& x, const Thing& y, i64 now) {
  Time in[2];
  Time out[2];
  bool always[2] = {};
  for (std::size_t k = 0; k < 2; ++k) {
    const i64 r = y.base[k] - x.base[k];
    const i64 v = y.v[k] - x.v[k];
    const i64 low = -y.size[k];
    const i64 high = x.size[k];
    if (v == 0 && (r <= low || r >= high)) return {};
    always[k] = v == 0;
    if (v != 0) {
      in[k] = divide((v > 0 ? low : high) - r, v);
      out[k] = divide((v > 0 ? high : low) - r, v);
    }
  }
  if (always[0] && always[1]) return {};
  std::size_t k = always[0] ? 1 : 0;
  bool tie = false;
  if (!always[0] && !always[1]) {
    const int order = compare(in[0], in[1]);
    const bool x_faster = std::abs(y.v[0] - x.v[0]) > std::abs(y.v[1] - x.v[1]);
    k = order > 0 || (order == 0 && x_faster) ? 0 : 1;
    if (compare(in[k], out[1 - k]) >= 0) return {};
    tie = order == 0 && std::abs(y.v[0] - x.v[0]) == std::abs(y.v[1] - x.v[1]);
  }
  if (in[k].q < now || in[k].q >= kSteps) return {};
  const std::size_t o = 1 - k;
  const i64 px = x.at(o, in[k].q);
  const i64 py = y.at(o, in[k].q);
  const i64 common = std::min(px + x.size[o], py + y.size[o]) - std::max(px, py);
  return Hit{.t = in[k], .length = std::max<i64>(common, 0), .axis = k, .tie = tie};
}

// A side of the world is a half-plane. It acts on one axis only. No body that moves outwards can be
// beyond it.
std::optional<Hit> border_impact(const Thing& m, std::size_t k, i64 now) {
  const i64 limit = i64{kWorldLimit} * kSteps;
  if (m.v[k] == 0) return {};
  const i64 speed = std::abs(m.v[k]);
  const i64 way = m.v[k] < 0 ? m.base[k] + limit : limit - m.size[k] - m.base[k];
  Time t = divide(way, speed);
  if (way <= speed * now) t = {now, 0, speed};
  if (t.q >= kSteps) return {};
  const bool tie = std::abs(m.v[0]) == std::abs(m.v[1]);
  return Hit{.t = t, .length = m.size[1 - k], .axis = k, .tie = tie};
}

// Whether `other` comes to the solid side of x; true if x is not one-way.
bool is_solid_for(const Thing& x, const Thing& other, const Hit& hit) {
  if (!x.one_way()) return true;
  const auto [k, high] = solid_side(x.body.one_way);
  if (hit.axis != k) return false;
  const i64 s = hit.t.q;
  return high ? other.at(k, s) >= x.at(k, s) + x.size[k]
              : other.at(k, s) + other.size[k] <= x.at(k, s);
}

bool meets_border(const Thing& x) {
  return x.dynamic() || (x.kinematic() && x.body.path == sim::kNoPath);
}

bool goes_before(const Hit& x, const Hit& y) {
  if (const int c = compare(x.t, y.t); c != 0) return c < 0;
  if (x.length != y.length) return x.length > y.length;
  if (x.a != y.a) return x.a < y.a;
  if (x.b != y.b) return x.b < y.b;
  if (x.t.d != y.t.d) return x.t.d > y.t.d;  // two sides of the world: the faster axis, then y
  return x.axis > y.axis;
}

bool reported_before(const sim::Contact& x, const sim::Contact& y) {
  const int c =
      compare({x.time, x.time_rest, x.time_divisor}, {y.time, y.time_rest, y.time_divisor});
  if (c != 0) return c < 0;
  const auto& u = x.relative_velocity;
  const auto& v = y.relative_velocity;
  return std::tie(x.a, x.b, x.normal_x, x.normal_y, x.time_divisor, u.x, u.y) <
         std::tie(y.a, y.b, y.normal_x, y.normal_y, y.time_divisor, v.x, v.y);
}

Run run_of(const sim::PhysicsWorld& world) {
  Run run;
  run.solid_border = world.settings().border == sim::Border::Solid;
  auto& things = run.things;
  for (const sim::Body& body : world.statics().bodies()) {
    things.push_back(thing_of(body));
  }
  for (const sim::Body& body : world.fixed().by_id()) {
    things.push_back(thing_of(body));
  }
  for (const sim::Body& body : world.movers()) {
    things.push_back(thing_of(body));
  }
  std::ranges::sort(things, {}, [](const Thing& t) { return t.body.id; });
  Thing border = thing_of({.id = sim::kWorldBorder, .kind = sim::Kind::Static, .size = {1, 1}});
  border.border = true;
  things.push_back(border);
  for (std::size_t k = 0; k < 2; ++k) {
    run.gravity[k] = world.settings().gravity[k];
  }
  return run;
}

void set_velocities(Run& run, const sim::PhysicsWorld& world) {
  for (Thing& x : run.things) {
    const bool on_path = x.kinematic() && x.body.path != sim::kNoPath;
    Vec2 goal;
    if (on_path) goal = world.statics().paths()[x.body.path].place_at(x.body.path_ticks + 1);
    for (std::size_t k = 0; k < 2; ++k) {
      i64 v = x.v[k];
      if (x.dynamic()) v += run.gravity[k] * x.body.gravity_scale / 256;
      if (on_path) v = i64{goal[k]} - x.body.min[k];
      turn(x, k, v, 0);
      x.first_v[k] = x.v[k];
    }
  }
}

void start_sweep(Run& run) {
  auto& things = run.things;
  for (std::size_t a = 0; a < things.size(); ++a) {
    things[a].course = {{0, things[a].base, things[a].v}};
    for (std::size_t b = a + 1; b + 1 < things.size(); ++b) {
      const Thing& x = things[a];
      const Thing& y = things[b];
      if (!apart_by_rule(x, y) || !overlap_now(x, y, 0)) continue;
      if (x.crushes() || y.crushes())
        run.report.crushed.push_back((x.dynamic() ? x : y).body.id);
      else
        run.deep.emplace_back(a, b);
    }
  }
}

std::optional<Hit> first(Run& run, i64 now) {
  const auto& things = run.things;
  std::optional<Hit> best;
  const std::size_t border = things.size() - 1;
  const auto consider = [&](std::optional<Hit> hit, std::size_t a, std::size_t b) {
    if (!hit) return;
    hit->a = a;
    hit->b = b;
    if (best && compare(hit->t, best->t) == 0 && (a == best->a || a == best->b || b == best->b)) {
      run.ties.of_moments = true;
    }
    if (!best || goes_before(*hit, *best)) best = hit;
  };
  for (std::size_t a = 0; a < border; ++a) {
    const Thing& x = things[a];
    for (std::size_t b = a + 1; b < border; ++b) {
      const Thing& y = things[b];
      if (!collide(x, y)) continue;
      if (std::ranges::count(run.crushing, std::pair{a, b}) != 0) continue;
      const std::optional<Hit> hit = impact(x, y, now);
      if (!hit) continue;
      const bool counts = is_solid_for(x, y, *hit) && is_solid_for(y, x, *hit);
      if (counts) consider(hit, a, b);
      run.ties.of_axes = run.ties.of_axes || (!counts && hit->tie);
    }
    for (std::size_t k = 0; k < 2 && run.solid_border && meets_border(x); ++k) {
      consider(border_impact(x, k, now), a, border);
    }
  }
  run.ties.of_axes = run.ties.of_axes || (best && best->tie);
  return best;
}

void finish(Run& run, sim::PhysicsWorld& world) {
  auto& things = run.things;
  sim::StepReport& report = run.report;
  for (Thing& x : things) {
    if (!x.mover()) continue;
    sim::Body& body = x.body;
    bool inside = true;
    for (std::size_t k = 0; k < 2; ++k) {
      body.min[k] = static_cast<std::int32_t>(rounded(x.at(k, kSteps)));
      inside =
          inside && body.min[k] >= -kWorldLimit && i64{body.min[k]} + body.size[k] <= kWorldLimit;
    }
    x.gone = !inside && !run.solid_border;
    if (x.gone) report.left.push_back(body.id);
    if (x.events > kSpent) report.frozen.push_back(body.id);
    report.events_max = std::max(report.events_max, static_cast<std::uint32_t>(x.events));
  }

  take_from_riders(run);
  watch_ghosts(run);
  for (const auto& [a, b] : run.deep) {
    const Thing& x = things[a];
    const Thing& y = things[b];
    const bool still = !x.gone && !y.gone && overlap_now(thing_of(x.body), thing_of(y.body), 0);
    if (still) report.overlaps.push_back({x.body.id, y.body.id});
  }

  for (Thing& x : things) {
    if (!x.mover()) continue;
    const auto& velocity = x.kinematic() ? x.first_v : x.v;
    x.body.velocity = {static_cast<std::int32_t>(velocity[0]),
                       static_cast<std::int32_t>(velocity[1])};
    if (x.kinematic() && x.body.path != sim::kNoPath && !x.waits) ++x.body.path_ticks;
    *world.find_mover(x.body.id) = x.body;
  }
  for (const BodyId id : report.left) {
    world.remove(id);
  }
  std::ranges::sort(report.contacts, reported_before);
  report.events = static_cast<std::uint32_t>(report.contacts.size());
  std::ranges::sort(report.blocked);
  std::ranges::sort(report.crushed);
  const auto repeated = std::ranges::unique(report.crushed);
  report.crushed.erase(repeated.begin(), repeated.end());
}

Run step(sim::PhysicsWorld& world) {
  Run run = run_of(world);
  set_velocities(run, world);
  depenetrate(run);
  give_riders(run);
  start_sweep(run);
  i64 now = 0;
  while (const auto hit = first(run, now)) {
    now = hit->t.q;
    handle(run, *hit);
  }
  finish(run, world);
  return run;
}

}  // namespace
}  // namespace naive

sim::StepReport naive_step(sim::PhysicsWorld& world) {
  return naive::step(world).report;
}

Ties ties_in_tick(sim::PhysicsWorld world) {
  return naive::step(world).ties;
}

}  // namespace tickbox::test
