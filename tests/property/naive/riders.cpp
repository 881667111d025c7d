// Riders: the body they stand on, the velocity they are given and its removal: rules 3 and 8.

#include "tests/property/naive/run.h"

#include <algorithm>
#include <vector>

namespace tickbox::test::naive {
namespace {

/// What a body stands on, and the kinematic body at the bottom, whose velocity it is given.
struct Ride {
  std::size_t on = kNone;         // kNone: in no wave, or a kinematic body
  std::size_t kinematic = kNone;  // kNone: in no wave
};

/// Rule 3 applies twice in a tick, to different positions and velocities.
enum class When : std::uint8_t { Start, End };

struct Standing {
  i64 length = 0;  // 0: it does not stand there
  std::size_t axis = 0;
};

/// The contact with which x stands on y, from the positions in their bodies.
Standing stands_on(const Run& run, const Thing& x, const Thing& y) {
  Standing best;
  if (!x.dynamic() || x.ghost() || !collide(x, y)) return best;
  for (std::size_t k = 0; k < 2; ++k) {
    if (run.gravity[k] == 0) continue;
    const bool high = run.gravity[k] < 0;  // the side of y against gravity
    if (y.one_way()) {
      const SolidSide solid = solid_side(y.body.one_way);
      if (solid.axis != k || solid.high != high) continue;
    }
    const auto end = [](const Thing& t, std::size_t axis) {
      return i64{t.body.min[axis]} + t.body.size[axis];
    };
    const bool touches = high ? x.body.min[k] == end(y, k) : end(x, k) == y.body.min[k];
    const std::size_t o = 1 - k;
    const i64 length = std::min(end(x, o), end(y, o)) - std::max<i64>(x.body.min[o], y.body.min[o]);
    if (touches && length > best.length) best = {length, k};
  }
  return best;
}

i64 own_velocity(const Thing& x, std::size_t k, When when) {
  if (when == When::End) return x.v[k];
  return x.kinematic() ? 0 : x.first_v[k];
}

std::vector<Ride> find_rides(const Run& run, When when) {
  const auto& things = run.things;
  const auto& gravity = run.gravity;
  std::vector<Ride> all(things.size());
  std::vector<std::size_t> wave;
  if (gravity[0] == 0 && gravity[1] == 0) return all;
  for (std::size_t i = 0; i < things.size(); ++i) {
    const Thing& x = things[i];
    if (!x.kinematic() || x.ghost() || x.gone) continue;
    all[i].kinematic = i;
    wave.push_back(i);
  }
  while (!wave.empty()) {
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < things.size(); ++i) {
      const Thing& x = things[i];
      if (!x.dynamic() || x.gone || all[i].kinematic != kNone) continue;
      i64 longest = 0;
      std::size_t on = kNone;
      for (const std::size_t m : wave) {  // by id, so that the lowest of equals stays
        const Thing& y = things[m];
        const auto [length, k] = stands_on(run, x, y);
        if (length <= longest) continue;
        const i64 u = own_velocity(x, k, when) - own_velocity(y, k, when);
        const bool carried = when == When::Start && x.body.carrier == y.body.id;
        if (u * gravity[k] < 0 && !carried) continue;
        longest = length;
        on = m;
      }
      if (on == kNone) continue;
      all[i].on = on;
      next.push_back(i);
    }
    for (const std::size_t i : next) {
      all[i].kinematic = all[all[i].on].kinematic;
    }
    wave = next;
  }
  return all;
}

}  // namespace

void give_riders(Run& run) {
  auto& things = run.things;
  const std::vector<Ride> all = find_rides(run, When::Start);
  for (std::size_t i = 0; i < things.size(); ++i) {
    Thing& x = things[i];
    if (!x.dynamic() || all[i].kinematic == kNone) continue;
    x.ridden = all[i].on;
    x.carrier = all[i].kinematic;
    for (std::size_t k = 0; k < 2; ++k) {
      turn(x, k, x.v[k] + things[x.carrier].first_v[k], 0);
      x.given[k] = x.v[k] - x.first_v[k];
    }
  }
}

void take_off(Thing& x, i64 s) {
  for (std::size_t k = 0; k < 2; ++k) {
    turn(x, k, x.hit[k] ? towards_zero(x.v[k], x.given[k]) : x.v[k] - x.given[k], s);
  }
}

void take_from_riders(Run& run) {
  auto& things = run.things;
  const std::vector<Ride> all = find_rides(run, When::End);
  for (std::size_t i = 0; i < things.size(); ++i) {
    Thing& x = things[i];
    if (!x.dynamic()) continue;
    x.body.carrier = sim::kNoBody;
    if (all[i].on == kNone) continue;
    x.body.carrier = things[all[i].on].body.id;
    if (x.carrier != kNone) {
      take_off(x, kSteps);
      continue;
    }
    const Thing& kinematic = things[all[i].kinematic];
    for (std::size_t k = 0; k < 2; ++k) {
      turn(x, k, towards_zero(x.v[k], kinematic.v[k]), kSteps);
    }
  }
}

}  // namespace tickbox::test::naive
