// Events: rules 5, 6 and 7.

#include "tests/property/naive/run.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tickbox::test::naive {
namespace {

/// One contact within an event, for friction.
struct Rub {
  std::size_t low, high;
  i64 change;  // of the relative normal velocity
};

/// One event during its handling.
class Event {
 public:
  Event(Run& run, const Hit& hit);
  void happen();

 private:
  Thing& low() { return run_.things[low_]; }

  Thing& high() { return run_.things[high_]; }

  void report_contact(std::size_t low, std::size_t high);
  [[nodiscard]] i64 rebound();
  i64 gather_block();
  void give(std::size_t index, i64 v);
  void rub(const Rub& rub);
  void snap();
  void squeeze(std::size_t kinematic, std::size_t dynamic);
  void wait(Thing& kinematic);
  void take_riders_along(std::size_t kinematic);

  [[nodiscard]] bool is_calm(i64 approach) const {
    return approach <= 2 * std::abs(run_.gravity[k_]);
  }

  Run& run_;
  Hit hit_;
  std::size_t k_;
  i64 s_;
  std::size_t low_, high_;
  bool low_fixed_, high_fixed_;
  std::vector<std::size_t> members_;
  std::vector<Rub> rubs_;
};

Event::Event(Run& run, const Hit& hit) : run_(run), hit_(hit), k_(hit.axis), s_(hit.t.q) {
  const Thing& a = run.things[hit.a];
  const Thing& b = run.things[hit.b];
  const bool a_is_low = b.border ? a.v[k_] > 0 : a.at(k_, s_) < b.at(k_, s_);
  low_ = a_is_low ? hit.a : hit.b;
  high_ = a_is_low ? hit.b : hit.a;
  low_fixed_ = !low().dynamic() || low().spent() || low().blocked[k_][0];
  high_fixed_ = !high().dynamic() || high().spent() || high().blocked[k_][1];
}

void Event::report_contact(std::size_t low, std::size_t high) {
  const BodyId low_id = run_.things[low].body.id;
  const BodyId high_id = run_.things[high].body.id;
  const auto n = static_cast<std::int8_t>(low_id < high_id ? -1 : 1);
  const std::int8_t zero = 0;
  const auto relative = [&](std::size_t k) {  // of the lower id to the higher
    return static_cast<std::int32_t>(-n * (run_.things[low].v[k] - run_.things[high].v[k]));
  };
  run_.report.contacts.push_back({std::min(low_id, high_id),
                                  std::max(low_id, high_id),
                                  k_ == 0 ? n : zero,
                                  k_ == 1 ? n : zero,
                                  static_cast<std::int32_t>(hit_.t.q),
                                  static_cast<std::int32_t>(hit_.t.r),
                                  static_cast<std::int32_t>(hit_.t.d),
                                  {relative(0), relative(1)}});
}

i64 Event::rebound() {
  const i64 approach = low().v[k_] - high().v[k_];
  const auto tired = [](const Thing& x, const Thing& other) {
    return x.events >= (other.dynamic() ? kTired : kVeryTired);
  };
  if (is_calm(approach) || low().stops() || high().stops()) return 0;
  if (tired(low(), high()) || tired(high(), low())) return 0;
  return approach * std::max(low().bounce(), high().bounce()) / 256;
}

void Event::happen() {
  report_contact(low_, high_);
  for (const std::size_t i : {low_, high_}) {
    if (!run_.things[i].kinematic() || !run_.things[low_ + high_ - i].border) continue;
    wait(run_.things[i]);
    take_riders_along(i);
    return;
  }
  if (low_fixed_ && high_fixed_) {
    if (low().kinematic() && !low().waits) return squeeze(low_, high_);
    if (high().kinematic() && !high().waits) return squeeze(high_, low_);
  }

  const i64 approach = low().v[k_] - high().v[k_];
  const i64 back = rebound();
  const i64 low_own = low().spent() ? 0 : low().v[k_];
  const i64 high_own = high().spent() ? 0 : high().v[k_];
  i64 to_low = 0;
  i64 to_high = 0;
  members_ = {low_, high_};
  rubs_ = {{low_, high_, 0}};
  if (low_fixed_ && high_fixed_) {
    to_low = to_high = 0;
  } else if (low_fixed_) {
    to_low = low_own;
    to_high = low_own + back;
  } else if (high_fixed_) {
    to_high = high_own;
    to_low = high_own - back;
  } else if (back > 0) {
    const i64 mass = low().body.mass + high().body.mass;
    const i64 momentum = low().body.mass * low().v[k_] + high().body.mass * high().v[k_];
    to_low = (momentum - high().body.mass * back) / mass;
    to_high = (momentum + low().body.mass * back) / mass;
  } else {
    to_low = to_high = gather_block();
  }
  rubs_.front().change = approach + to_high - to_low;

  for (const std::size_t m : members_) {
    give(m, m == low_ ? to_low : to_high);
  }
  if (high_fixed_ && low().dynamic() && to_low == to_high) low().blocked[k_][1] = true;
  if (low_fixed_ && high().dynamic() && to_low == to_high) high().blocked[k_][0] = true;
  for (const Rub& each : rubs_) {
    rub(each);
  }
  if (!low().mover() || !high().mover()) snap();
}

void Event::give(std::size_t index, i64 v) {
  Thing& x = run_.things[index];
  if (!x.dynamic()) return;
  const std::array<i64, 2> before = x.v;
  const bool freezes = x.spent();
  turn(x, k_, freezes ? 0 : v, s_);
  if (freezes || (x.stops() && x.events == 0)) turn(x, 1 - k_, 0, s_);
  for (std::size_t k = 0; k < 2; ++k) {
    x.hit[k] = x.hit[k] || x.v[k] != before[k];
  }
  ++x.events;
}

i64 Event::gather_block() {
  const auto is_member = [&](std::size_t i) { return std::ranges::count(members_, i) != 0; };
  for (;;) {
    i64 mass = 0;
    i64 momentum = 0;
    for (const std::size_t m : members_) {
      mass += run_.things[m].body.mass;
      momentum += run_.things[m].body.mass * run_.things[m].v[k_];
    }
    const i64 common = momentum / mass;

    i64 best = 0;
    std::size_t joins = kNone;
    std::size_t joined = kNone;
    bool joins_high = false;
    for (std::size_t j = 0; j < run_.things.size(); ++j) {
      const Thing& x = run_.things[j];
      if (!x.dynamic() || x.spent() || is_member(j)) continue;
      for (std::size_t m = 0; m < run_.things.size(); ++m) {
        const Thing& y = run_.things[m];
        if (!is_member(m) || !collide(x, y) || !overlap_axis(x, y, 1 - k_, s_)) continue;
        const i64 ahead = x.at(k_, s_) - y.at(k_, s_) - y.size[k_];
        const i64 behind = y.at(k_, s_) - x.at(k_, s_) - x.size[k_];
        const bool is_high = ahead >= 0 && ahead < kSteps;
        if (!is_high && (behind < 0 || behind >= kSteps)) continue;
        const i64 speed = is_high ? common - x.v[k_] : x.v[k_] - common;
        const bool inelastic = x.bounce() == 0 || is_calm(speed) || x.events >= kTired;
        if (speed <= best || !inelastic || x.blocked[k_][is_high ? 1 : 0]) continue;
        std::tie(best, joins, joined, joins_high) = std::tuple{speed, j, m, is_high};
      }
    }
    if (joins == kNone) return common;
    members_.push_back(joins);
    rubs_.push_back({joins_high ? joined : joins, joins_high ? joins : joined, best});
    report_contact(rubs_.back().low, rubs_.back().high);
  }
}

void Event::rub(const Rub& rub) {
  Thing& low = run_.things[rub.low];
  Thing& high = run_.things[rub.high];
  const bool is_first = rub.low == low_ && rub.high == high_;
  const bool low_fixed = is_first && low_fixed_;
  const bool high_fixed = is_first && high_fixed_;
  if (low_fixed && high_fixed) return;
  const auto is_tired = [](const Thing& x) { return x.dynamic() && x.events > kTired; };
  if (is_tired(low) || is_tired(high)) return;  // the count includes this event
  const std::size_t o = 1 - k_;
  const i64 u = low.v[o] - high.v[o];
  const i64 most = rub.change * std::max(low.body.friction, high.body.friction) / 256;
  const i64 amount = std::min(std::abs(u), most);
  const i64 d = u < 0 ? -amount : amount;
  const i64 mass = low.body.mass + high.body.mass;
  const i64 low_part = high_fixed ? d : d * high.body.mass / mass;
  const i64 high_part = low_fixed ? d : d * low.body.mass / mass;
  if (!low_fixed) turn(low, o, low.v[o] - low_part, s_);
  if (!high_fixed) turn(high, o, high.v[o] + high_part, s_);
}

void Event::snap() {
  const bool is_low = low().dynamic();
  Thing& x = is_low ? low() : high();
  const Thing& wall = is_low ? high() : low();
  const i64 limit = i64{kWorldLimit} * kSteps;
  const i64 face =
      wall.border ? (is_low ? limit : -limit) : wall.base[k_] + (is_low ? 0 : wall.size[k_]);
  const i64 target = is_low ? face - x.size[k_] : face;
  const i64 place = x.at(k_, s_);
  if (is_low ? place >= target : place <= target) return;

  Thing moved = x;
  moved.base[k_] += target - place;
  for (const Thing& y : run_.things) {
    const bool other_mover = y.mover() && y.body.id != x.body.id;
    if (other_mover && apart_by_rule(moved, y) && overlap_now(moved, y, s_)) return;
  }
  if (moved.course.back().from == s_) moved.course.pop_back();
  moved.course.push_back({s_, moved.base, moved.v});
  x = moved;
}

void Event::squeeze(std::size_t kinematic, std::size_t dynamic) {
  Thing& presser = run_.things[kinematic];
  Thing& pressed = run_.things[dynamic];
  if (presser.crushes()) {
    run_.report.crushed.push_back(pressed.body.id);
    run_.crushing.emplace_back(std::min(kinematic, dynamic), std::max(kinematic, dynamic));
    for (std::size_t k = 0; k < 2 && pressed.spent(); ++k) {
      pressed.hit[k] = pressed.hit[k] || pressed.v[k] != 0;
      turn(pressed, k, 0, s_);
    }
    ++pressed.events;
    return;
  }
  wait(presser);
  give(dynamic, 0);
  pressed.blocked[k_][dynamic == low_ ? 1 : 0] = true;
  take_riders_along(kinematic);
}

void Event::wait(Thing& kinematic) {
  kinematic.waits = true;
  run_.report.blocked.push_back(kinematic.body.id);
  turn(kinematic, 0, 0, s_);
  turn(kinematic, 1, 0, s_);
}

/// The riders of a kinematic body that waits lose the velocity that it gave them.
void Event::take_riders_along(std::size_t kinematic) {
  for (Thing& x : run_.things) {
    if (x.carrier != kinematic) continue;
    take_off(x, s_);
    x.given = {0, 0};
  }
}

}  // namespace

void handle(Run& run, const Hit& hit) {
  Event{run, hit}.happen();
}

}  // namespace tickbox::test::naive
