#include "tests/property/naive_step.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <tuple>

namespace tickbox::test {
namespace {

using i64 = std::int64_t;
constexpr i64 kSteps = (i64{1} << 30) - 1;
constexpr i64 kBudget = 64;

struct Time {
  i64 q, r, d;  // q + r / d
};

int compare(Time a, Time b) {
  if (a.q != b.q) return a.q < b.q ? -1 : 1;
  const i64 left = a.r * b.d;
  const i64 right = b.r * a.d;
  return left < right ? -1 : left > right ? 1 : 0;
}

Time divide(i64 n, i64 d) {
  if (d < 0) return divide(-n, -d);
  const i64 q = n / d - (n % d < 0 ? 1 : 0);
  return {q, n - q * d, d};
}

struct Thing {
  sim::Body body;
  bool mover = false, border = false;
  i64 base[2], size[2], v[2];
  i64 events = 0;
  bool blocked[2][2] = {};  // [axis][towards larger coordinates]

  i64 at(int k, i64 s) const { return base[k] + v[k] * s; }

  i64 bounce() const { return body.response == sim::Response::Bounce ? body.restitution : 0; }

  bool stops() const { return body.response == sim::Response::Stop; }

  bool spent() const { return events >= kBudget; }
};

struct Hit {
  Time t;
  i64 length;
  int axis;
  std::size_t a, b;
};

bool meet(const Thing& a, const Thing& b) {
  if (!a.mover && !b.mover) return false;
  if (a.border || b.border) return true;
  return (a.body.layers & b.body.collides_with) != 0 &&
         (b.body.layers & a.body.collides_with) != 0 && a.body.ignores != b.body.id &&
         b.body.ignores != a.body.id;
}

bool overlap_axis(const Thing& a, const Thing& b, int k, i64 s) {
  return a.at(k, s) < b.at(k, s) + b.size[k] && b.at(k, s) < a.at(k, s) + a.size[k];
}

std::optional<Hit> impact(const Thing& a, const Thing& b, i64 now) {
  Time in[2], out[2];
  bool always[2] = {};
  for (int k = 0; k < 2; ++k) {
    const i64 r = b.base[k] - a.base[k];
    const i64 v = b.v[k] - a.v[k];
    const i64 low = -b.size[k];
    const i64 high = a.size[k];
    if (v == 0 && (r <= low || r >= high)) return {};
    always[k] = v == 0;
    if (v != 0) {
      in[k] = divide((v > 0 ? low : high) - r, v);
      out[k] = divide((v > 0 ? high : low) - r, v);
    }
  }
  if (always[0] && always[1]) return {};
  int k = always[0] ? 1 : 0;
  if (!always[0] && !always[1]) {
    const int order = compare(in[0], in[1]);
    const bool x_faster = std::abs(b.v[0] - a.v[0]) > std::abs(b.v[1] - a.v[1]);
    k = order > 0 || (order == 0 && x_faster) ? 0 : 1;
    if (compare(in[k], out[1 - k]) >= 0) return {};
  }
  if (in[k].q < now || in[k].q >= kSteps) return {};
  const int o = 1 - k;
  const i64 pa = a.at(o, in[k].q);
  const i64 pb = b.at(o, in[k].q);
  const i64 common = std::min(pa + a.size[o], pb + b.size[o]) - std::max(pa, pb);
  return Hit{in[k], std::max<i64>(common, 0), k, 0, 0};
}

// A side of the world: a half-plane, which acts on one axis only and which nothing can be beyond
// while moving out.
std::optional<Hit> border_impact(const Thing& m, int k, i64 now) {
  const i64 limit = i64{kWorldLimit} * kSteps;
  if (m.v[k] == 0) return {};
  const i64 speed = std::abs(m.v[k]);
  const i64 way = m.v[k] < 0 ? m.base[k] + limit : limit - m.size[k] - m.base[k];
  Time t = divide(way, speed);
  if (way <= speed * now) t = {now, 0, speed};
  if (t.q >= kSteps) return {};
  return Hit{t, m.size[1 - k], k, 0, 0};
}

struct Run {
  std::vector<Thing> things;  // by id; the border last
  i64 gravity[2];
  bool solid_border;
  NaiveReport report;

  std::optional<Hit> first(i64 now) const;
  void handle(const Hit& hit);
  i64 block(const Hit& hit, std::vector<std::size_t>& members);
  void turn(Thing& x, int k, i64 v, i64 s) const;
  void give(Thing& x, int k, i64 v, i64 s) const;
  void snap(Thing& x, int k, i64 face, i64 s) const;
  void contact(const Hit& hit, const Thing& low, const Thing& high);
};

bool goes_before(const Hit& x, const Hit& y) {
  if (const int c = compare(x.t, y.t); c != 0) return c < 0;
  if (x.length != y.length) return x.length > y.length;
  if (x.a != y.a) return x.a < y.a;
  if (x.b != y.b) return x.b < y.b;
  if (x.t.d != y.t.d) return x.t.d > y.t.d;  // two sides of the world: the faster axis, then y
  return x.axis > y.axis;
}

std::optional<Hit> Run::first(i64 now) const {
  std::optional<Hit> best;
  const std::size_t border = things.size() - 1;
  const auto consider = [&](std::optional<Hit> hit, std::size_t a, std::size_t b) {
    if (!hit) return;
    hit->a = a;
    hit->b = b;
    if (!best || goes_before(*hit, *best)) best = hit;
  };
  for (std::size_t a = 0; a < border; ++a) {
    for (std::size_t b = a + 1; b < border; ++b) {
      if (meet(things[a], things[b])) consider(impact(things[a], things[b], now), a, b);
    }
    for (int k = 0; k < 2 && solid_border && things[a].mover; ++k) {
      consider(border_impact(things[a], k, now), a, border);
    }
  }
  return best;
}

void Run::turn(Thing& x, int k, i64 v, i64 s) const {
  const i64 limit = kSpeedLimit;
  v = std::clamp(v, -limit, limit);
  if (v != x.v[k]) x.blocked[k][0] = x.blocked[k][1] = false;
  x.base[k] = x.at(k, s) - v * s;
  x.v[k] = v;
}

void Run::give(Thing& x, int k, i64 v, i64 s) const {
  if (!x.mover) return;
  const bool freezes = x.spent();
  turn(x, k, freezes ? 0 : v, s);
  if (freezes || (x.stops() && x.events == 0)) turn(x, 1 - k, 0, s);
  ++x.events;
}

void Run::snap(Thing& x, int k, i64 target, i64 s) const {
  const i64 before = x.base[k];
  x.base[k] = target - x.v[k] * s;
  for (const Thing& y : things) {
    const bool hit =
        &y != &x && y.mover && meet(x, y) && overlap_axis(x, y, 0, s) && overlap_axis(x, y, 1, s);
    if (hit) x.base[k] = before;
  }
}

void Run::contact(const Hit& hit, const Thing& low, const Thing& high) {
  const bool a_low = low.body.id < high.body.id;
  const auto n = static_cast<std::int8_t>(a_low ? -1 : 1);
  const std::int8_t zero = 0;
  report.contacts.push_back({std::min(low.body.id, high.body.id),
                             std::max(low.body.id, high.body.id), hit.axis == 0 ? n : zero,
                             hit.axis == 1 ? n : zero, hit.t.q, hit.t.r, hit.t.d});
}

i64 Run::block(const Hit& hit, std::vector<std::size_t>& members) {
  const int k = hit.axis;
  const i64 s = hit.t.q;
  members = {hit.a, hit.b};
  for (;;) {
    i64 mass = 0;
    i64 momentum = 0;
    for (const std::size_t m : members) {
      mass += things[m].body.mass;
      momentum += things[m].body.mass * things[m].v[k];
    }
    const i64 common = momentum / mass;
    i64 best = 0;
    std::size_t joins = 0;
    std::size_t joined = 0;
    bool joins_high = false;
    for (std::size_t j = 0; j < things.size(); ++j) {
      const Thing& x = things[j];
      if (!x.mover || x.spent() || std::ranges::count(members, j) != 0) continue;
      for (std::size_t m = 0; m < things.size(); ++m) {
        const Thing& y = things[m];
        if (std::ranges::count(members, m) == 0 || !meet(x, y)) continue;
        if (!overlap_axis(x, y, 1 - k, s)) continue;
        const i64 ahead = x.at(k, s) - y.at(k, s) - y.size[k];
        const i64 behind = y.at(k, s) - x.at(k, s) - x.size[k];
        const bool is_high = ahead >= 0 && ahead < kSteps;
        if (!is_high && (behind < 0 || behind >= kSteps)) continue;
        const i64 speed = is_high ? common - x.v[k] : x.v[k] - common;
        const bool inelastic =
            x.bounce() == 0 || speed <= 2 * std::abs(gravity[k]) || x.events >= 8;
        if (speed <= best || !inelastic || x.blocked[k][is_high ? 1 : 0]) continue;
        std::tie(best, joins, joined, joins_high) = std::tuple{speed, j, m, is_high};
      }
    }
    if (best == 0) return common;
    members.push_back(joins);
    contact(hit, things[joins_high ? joined : joins], things[joins_high ? joins : joined]);
  }
}

void Run::handle(const Hit& hit) {
  const int k = hit.axis;
  const i64 s = hit.t.q;
  Thing& a = things[hit.a];
  Thing& b = things[hit.b];
  const bool a_low = b.border ? a.v[k] > 0 : a.at(k, s) < b.at(k, s);
  Thing& low = a_low ? a : b;
  Thing& high = a_low ? b : a;
  contact(hit, low, high);

  const bool low_fixed = !low.mover || low.spent() || low.blocked[k][0];
  const bool high_fixed = !high.mover || high.spent() || high.blocked[k][1];
  const i64 approach = low.v[k] - high.v[k];
  const bool tired = low.events >= (high.mover ? 8 : 48) || high.events >= (low.mover ? 8 : 48);
  const bool dead = tired || low.stops() || high.stops() || approach <= 2 * std::abs(gravity[k]);
  const i64 back = dead ? 0 : approach * std::max(low.bounce(), high.bounce()) / 256;
  const i64 low_own = low.spent() ? 0 : low.v[k];
  const i64 high_own = high.spent() ? 0 : high.v[k];
  std::vector<std::size_t> members = {hit.a, hit.b};
  i64 to_low = 0;
  i64 to_high = 0;
  if (low_fixed && high_fixed) {
    to_low = to_high = 0;
  } else if (low_fixed) {
    to_low = low_own;
    to_high = low_own + back;
  } else if (high_fixed) {
    to_high = high_own;
    to_low = high_own - back;
  } else if (back == 0) {
    to_low = to_high = block(hit, members);
  } else {
    const i64 mass = low.body.mass + high.body.mass;
    const i64 momentum = low.body.mass * low.v[k] + high.body.mass * high.v[k];
    to_low = (momentum - high.body.mass * back) / mass;
    to_high = (momentum + low.body.mass * back) / mass;
  }
  for (const std::size_t m : members) {
    give(things[m], k, &things[m] == &low ? to_low : to_high, s);
  }
  if (high_fixed && low.mover && to_low == to_high) low.blocked[k][1] = true;
  if (low_fixed && high.mover && to_low == to_high) high.blocked[k][0] = true;

  const i64 limit = i64{kWorldLimit} * kSteps;
  if (b.border) {
    const bool inside = a_low ? a.at(k, s) + a.size[k] <= limit : a.at(k, s) >= -limit;
    if (inside) snap(a, k, a_low ? limit - a.size[k] : -limit, s);
  } else if (!low.mover || !high.mover) {
    Thing& mover = low.mover ? low : high;
    snap(mover, k, low.mover ? high.base[k] - low.size[k] : low.base[k] + low.size[k], s);
  }
}

Thing thing_of(const sim::Body& body, bool mover) {
  Thing t;
  t.body = body;
  t.mover = mover;
  for (int k = 0; k < 2; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    t.base[k] = body.min[axis] * kSteps;
    t.size[k] = body.size[axis] * kSteps;
    t.v[k] = mover ? body.velocity[axis] : 0;
  }
  return t;
}

i64 rounded(i64 fine) {
  const i64 x = fine + (kSteps - 1) / 2;
  return x / kSteps - (x % kSteps < 0 ? 1 : 0);
}

bool reported_before(const sim::Contact& x, const sim::Contact& y) {
  const int c =
      compare({x.time, x.time_rest, x.time_divisor}, {y.time, y.time_rest, y.time_divisor});
  if (c != 0) return c < 0;
  return std::tie(x.a, x.b, x.normal_x, x.normal_y, x.time_divisor) <
         std::tie(y.a, y.b, y.normal_x, y.normal_y, y.time_divisor);
}

}  // namespace

NaiveReport naive_step(sim::World& world) {
  Run run;
  run.solid_border = world.settings().border == sim::Border::Solid;
  for (int k = 0; k < 2; ++k) {
    run.gravity[k] = world.settings().gravity[static_cast<std::size_t>(k)];
  }
  for (const sim::Body& body : world.statics().bodies()) {
    run.things.push_back(thing_of(body, false));
  }
  for (const sim::Body& body : world.movers()) {
    Thing t = thing_of(body, true);
    for (int k = 0; k < 2; ++k) {
      run.turn(t, k, t.v[k] + run.gravity[k] * body.gravity_scale / 256, 0);
    }
    run.things.push_back(t);
  }
  std::ranges::sort(run.things, {}, [](const Thing& t) { return t.body.id; });
  Thing border = thing_of({.id = sim::kWorldBorder, .size = {1, 1}}, false);
  border.border = true;
  run.things.push_back(border);

  i64 now = 0;
  while (const auto hit = run.first(now)) {
    now = hit->t.q;
    run.handle(*hit);
  }

  std::vector<BodyId> left;
  for (const Thing& t : run.things) {
    if (!t.mover) continue;
    sim::Body& body = *world.find(t.body.id);
    bool inside = true;
    for (std::size_t k = 0; k < 2; ++k) {
      body.min[k] = static_cast<std::int32_t>(rounded(t.at(static_cast<int>(k), kSteps)));
      body.velocity[k] = static_cast<std::int32_t>(t.v[k]);
      inside =
          inside && body.min[k] >= -kWorldLimit && i64{body.min[k]} + body.size[k] <= kWorldLimit;
    }
    if (t.events > kBudget) run.report.frozen.push_back(body.id);
    run.report.events_max = std::max(run.report.events_max, static_cast<std::uint32_t>(t.events));
    if (!inside && !run.solid_border) left.push_back(body.id);
  }
  for (const BodyId id : left) {
    world.remove(id);
  }
  std::ranges::sort(run.report.contacts, reported_before);
  return run.report;
}

}  // namespace tickbox::test
