#include "tests/property/checker.h"

#include "tests/property/world_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <sstream>
#include <vector>

namespace tickbox::test {
namespace {

using i64 = std::int64_t;
using sim::Body;

/// numerator / denominator of a tick, denominator > 0.
struct Fraction {
  i64 numerator, denominator;

  friend bool operator<(const Fraction& a, const Fraction& b) {
    return a.numerator * b.denominator < b.numerator * a.denominator;
  }
};

/// A body at both ends of the tick.
struct Passage {
  const Body* from;
  const Body* to;  // nullptr: it left
  bool straight;   // moved in one straight line
  bool shifted;    // was moved when the tick began
  bool hit;        // had a contact
};

i64 low(const Body& body, std::size_t k) {
  return body.min[k];
}

i64 high(const Body& body, std::size_t k) {
  return i64{body.min[k]} + body.size[k];
}

bool is_immovable(const Body& body) {
  return body.kind == sim::Kind::Static || body.kind == sim::Kind::Fixed;
}

bool overlap(const Body& a, const Body& b) {
  return low(a, 0) < high(b, 0) && low(b, 0) < high(a, 0) && low(a, 1) < high(b, 1) &&
         low(b, 1) < high(a, 1);
}

/// Two boxes that move straight and begin to overlap on the way.
struct Meeting {
  bool corner = false;  // both axes at the same moment
  std::size_t axis = 0;
  bool b_is_high = false;
};

/// Returns nothing if their open interiors do not intersect at any real moment of the tick.
/// Requires: the two are apart at the start.
std::optional<Meeting> meeting(const Passage& a, const Passage& b) {
  Fraction in{0, 1};
  Fraction out{1, 1};
  Meeting found;
  std::optional<Fraction> first_in;
  for (std::size_t k = 0; k < 2; ++k) {
    const i64 start = low(*b.from, k) - low(*a.from, k);
    const i64 way = low(*b.to, k) - low(*a.to, k) - start;
    const i64 least = -i64{b.from->size[k]};
    const i64 most = a.from->size[k];
    if (way == 0) {
      if (start <= least || start >= most) return std::nullopt;
      continue;
    }
    const i64 speed = way < 0 ? -way : way;
    const Fraction enters{way > 0 ? least - start : start - most, speed};
    const Fraction leaves{way > 0 ? most - start : start - least, speed};
    if (enters.numerator >= 0) {
      found.corner = first_in && !(*first_in < enters) && !(enters < *first_in);
      if (!first_in || *first_in < enters) {
        found.axis = k;
        found.b_is_high = way < 0;
        first_in = enters;
      }
    }
    in = std::max(in, enters);
    out = std::min(out, leaves);
  }
  if (!(in < out)) return std::nullopt;
  return found;
}

/// Whether the other body comes to the solid side of `one_way`; true if it is not one-way.
bool stops_there(const Body& one_way, const Meeting& meeting, bool other_is_high) {
  switch (one_way.one_way) {
    case sim::OneWay::None:
      return true;
    case sim::OneWay::Up:
      return meeting.axis == 1 && !other_is_high;
    case sim::OneWay::Down:
      return meeting.axis == 1 && other_is_high;
    case sim::OneWay::Left:
      return meeting.axis == 0 && !other_is_high;
    case sim::OneWay::Right:
      return meeting.axis == 0 && other_is_high;
  }
  return true;
}

class Tick {
 public:
  Tick(const sim::PhysicsWorld& before, const sim::PhysicsWorld& after,
       const sim::StepReport& report);
  std::string judge();

 private:
  void judge_pair(const Passage& a, const Passage& b);
  void judge_one_way(const Passage& solid, const Passage& other);
  void judge_ghost(const Passage& a, const Passage& b);
  void judge_stopped(const Passage& passage);
  void judge_kinematic(const Passage& passage);
  void judge_events();
  void complain(const char* what, const Passage& a, const Passage& b);
  [[nodiscard]] bool is_crushed_pair(const Body& a, const Body& b) const;
  [[nodiscard]] bool may_undo_snap(const Passage& passage) const;

  const sim::PhysicsWorld& before_;
  const sim::StepReport& report_;
  std::vector<Passage> passages_;
  bool someone_waited_ = false;
  bool someone_is_rough_ = false;
  std::ostringstream wrong_;
};

Tick::Tick(const sim::PhysicsWorld& before, const sim::PhysicsWorld& after,
           const sim::StepReport& report)
    : before_(before), report_(report) {
  const auto in = [](const auto& ids, BodyId id) { return std::ranges::count(ids, id) != 0; };
  std::vector<BodyId> hit;
  std::vector<BodyId> shifted;
  for (const sim::Contact& contact : report.contacts) {
    hit.insert(hit.end(), {contact.a, contact.b});
  }
  for (const sim::BodyPair& pair : report.separated) {
    shifted.insert(shifted.end(), {pair.low, pair.high});
  }
  for (const Body& body : before.statics().bodies()) {
    passages_.push_back({&body, &body, true, false, in(hit, body.id)});
  }
  for (const Body& body : before.fixed().by_id()) {
    passages_.push_back({&body, &body, true, false, in(hit, body.id)});
  }
  // Riders of a kinematic body that waits lose its velocity in the middle of the tick, without a
  // contact of their own. Then only kinematic bodies are sure to move straight.
  someone_waited_ = !report.blocked.empty();
  const auto is_rough = [](const Body& body) { return body.friction != 0; };
  someone_is_rough_ = std::ranges::any_of(before.statics().bodies(), is_rough) ||
                      std::ranges::any_of(before.fixed().by_id(), is_rough) ||
                      std::ranges::any_of(before.movers(), is_rough);
  for (const Body& body : before.movers()) {
    const bool is_hit = in(hit, body.id);
    const bool is_shifted = body.kind == sim::Kind::Dynamic && in(shifted, body.id);
    const bool turns =
        body.kind == sim::Kind::Dynamic ? is_hit || someone_waited_ : in(report.blocked, body.id);
    const Body* to = after.find(body.id);
    passages_.push_back({&body, to, to != nullptr && !turns && !is_shifted, is_shifted, is_hit});
  }
}

void Tick::complain(const char* what, const Passage& a, const Passage& b) {
  wrong_ << "  " << what << '\n';
  for (const Passage* passage : {&a, &b}) {
    wrong_ << "    " << text_of(*passage->from) << "\n      -> "
           << (passage->to != nullptr ? text_of(*passage->to) : "left") << '\n';
  }
}

bool Tick::is_crushed_pair(const Body& a, const Body& b) const {
  const auto crushes = [&](const Body& by, const Body& whom) {
    return by.kind == sim::Kind::Kinematic && by.squeeze == sim::Squeeze::Crush &&
           std::ranges::binary_search(report_.crushed, whom.id);
  };
  return crushes(a, b) || crushes(b, a);
}

void Tick::judge_pair(const Passage& a, const Passage& b) {
  if (a.to == nullptr || b.to == nullptr || !sim::may_collide(*a.from, *b.from)) return;
  if (is_crushed_pair(*a.from, *b.from) || overlap(*a.from, *b.from)) return;
  const bool solid = sim::stay_apart(*a.from, *b.from);
  if (solid && overlap(*a.to, *b.to)) complain("I1: they overlap and did not", a, b);
  if (!a.straight || !b.straight) return;
  const auto found = meeting(a, b);
  if (!found) return;
  // The rules for ties decide whether a corner is the solid side of a one-way body.
  if (!solid && found->corner) return;
  if (stops_there(*a.from, *found, found->b_is_high) &&
      stops_there(*b.from, *found, !found->b_is_high)) {
    complain("I2: they went through each other", a, b);
  }
}

/// A body that was on the solid side is still there, unless it moved around. It did not move around
/// if it is beside the one-way body at both ends and no contact turned it on that axis.
void Tick::judge_one_way(const Passage& solid, const Passage& other) {
  const Body& from = *solid.from;
  if (from.one_way == sim::OneWay::None || !sim::may_collide(from, *other.from)) return;
  if (solid.to == nullptr || other.to == nullptr || other.shifted || someone_waited_) return;
  if (someone_is_rough_ || is_crushed_pair(from, *other.from)) return;
  const bool on_y = from.one_way == sim::OneWay::Up || from.one_way == sim::OneWay::Down;
  const bool is_high = from.one_way == sim::OneWay::Down || from.one_way == sim::OneWay::Right;
  const std::size_t k = on_y ? 1 : 0;
  const std::size_t across = 1 - k;
  const auto is_there = [&](const Body& x, const Body& y) {
    return is_high ? low(y, k) >= high(x, k) : high(y, k) <= low(x, k);
  };
  const auto is_beside = [&](const Body& x, const Body& y) {
    return low(x, across) < high(y, across) && low(y, across) < high(x, across);
  };
  if (!is_there(from, *other.from) || is_there(*solid.to, *other.to)) return;
  if (!is_beside(from, *other.from) || !is_beside(*solid.to, *other.to)) return;
  const bool turned = std::ranges::any_of(report_.contacts, [&](const sim::Contact& contact) {
    const bool is_its = contact.a == other.from->id || contact.b == other.from->id;
    return is_its && (across == 0 ? contact.normal_x : contact.normal_y) != 0;
  });
  // A body with Response::Stop loses its tangential velocity at its first event, at any place.
  if (turned || other.from->response == sim::Response::Stop) return;
  complain("I2: it sank into a solid side", solid, other);
}

void Tick::judge_ghost(const Passage& a, const Passage& b) {
  if (!sim::may_meet(*a.from, *b.from) || !(is_ghost(*a.from) || is_ghost(*b.from))) return;
  if (a.to == nullptr || b.to == nullptr || a.shifted || b.shifted) return;
  const sim::BodyPair pair = sim::ordered_pair(a.from->id, b.from->id);
  const auto begins = std::ranges::count(report_.begin, pair);
  const auto ends = std::ranges::count(report_.end, pair);
  const bool was = overlap(*a.from, *b.from);
  const bool is = overlap(*a.to, *b.to);
  if (int{was} + begins - ends != int{is}) complain("ghost: begins and ends do not add up", a, b);
  if (!a.straight || !b.straight) return;
  const bool met = was || meeting(a, b).has_value();
  if (begins != int{met && !was}) complain("ghost: a begin too many or too few", a, b);
  if (ends != int{met && !is}) complain("ghost: an end too many or too few", a, b);
}

/// Whether a mover was so near that a snap to the wall could have overlapped it.
bool Tick::may_undo_snap(const Passage& passage) const {
  return std::ranges::any_of(passages_, [&](const Passage& other) {
    if (is_immovable(*other.from) || other.from == passage.from) return false;
    if (!sim::stay_apart(*other.from, *passage.from)) return false;
    if (other.to == nullptr || other.shifted || passage.shifted) return true;
    for (std::size_t k = 0; k < 2; ++k) {
      const auto least = [&](const Passage& p) { return std::min(low(*p.from, k), low(*p.to, k)); };
      const auto most = [&](const Passage& p) {
        return std::max(high(*p.from, k), high(*p.to, k));
      };
      if (most(other) + 1 < least(passage) || most(passage) + 1 < least(other)) return false;
    }
    return true;
  });
}

// Judges a body only if the wall was its only contact: otherwise another body may have carried the
// body along.
void Tick::judge_stopped(const Passage& passage) {
  const Body& body = *passage.from;
  if (!passage.hit || passage.to == nullptr || body.kind != sim::Kind::Dynamic) return;
  const sim::Contact* only = nullptr;
  for (const sim::Contact& contact : report_.contacts) {
    if (contact.a != body.id && contact.b != body.id) continue;
    if (only != nullptr) return;
    only = &contact;
  }
  const Body* wall = before_.immovables().find(only->a == body.id ? only->b : only->a);
  const std::size_t k = only->normal_x != 0 ? 0 : 1;
  const Body& at = *passage.to;
  if (wall == nullptr || at.velocity[k] != 0 || body.response == sim::Response::Bounce) return;
  if (at.carrier != sim::kNoBody || !report_.blocked.empty()) return;
  const bool touches = high(at, k) == low(*wall, k) || low(at, k) == high(*wall, k);
  if (touches || may_undo_snap(passage)) return;
  wrong_ << "  I5: stopped short of a wall\n    " << text_of(at) << "\n    " << text_of(*wall)
         << '\n';
}

void Tick::judge_kinematic(const Passage& passage) {
  const Body& body = *passage.from;
  if (body.kind != sim::Kind::Kinematic || passage.to == nullptr) return;
  const bool waited = std::ranges::binary_search(report_.blocked, body.id);
  const bool on_path = body.path != sim::kNoPath;
  const Body& at = *passage.to;
  bool right = at.path_ticks == body.path_ticks + (on_path && !waited ? 1U : 0U);
  Vec2 goal;
  if (on_path) goal = before_.statics().paths()[body.path].place_at(body.path_ticks + 1);
  for (std::size_t k = 0; k < 2; ++k) {
    const i64 limit = kSpeedLimit;
    const i64 way =
        on_path ? std::clamp(i64{goal[k]} - body.min[k], -limit, limit) : i64{body.velocity[k]};
    right = right && at.velocity[k] == way;
    if (!waited) right = right && at.min[k] == body.min[k] + way;
  }
  if (right) return;
  wrong_ << "  a kinematic body is not where its path or velocity says\n    " << text_of(body)
         << "\n    " << text_of(at) << '\n';
}

void Tick::judge_events() {
  // A body has at most 64 events and one more that freezes it. Every event has a body below that
  // limit, with one exception: two frozen bodies, one of which a waiting carrier has just moved.
  const std::size_t most = (sim::kEventLimit + 2) * before_.movers().size();
  if (report_.contacts.size() > most) wrong_ << "  I7: " << report_.events << " events\n";
}

std::string Tick::judge() {
  for (std::size_t i = 0; i < passages_.size(); ++i) {
    for (std::size_t j = i + 1; j < passages_.size(); ++j) {
      const Passage& a = passages_[i];
      const Passage& b = passages_[j];
      if (is_immovable(*a.from) && is_immovable(*b.from)) continue;
      judge_pair(a, b);
      judge_one_way(a, b);
      judge_one_way(b, a);
      judge_ghost(a, b);
    }
    judge_stopped(passages_[i]);
    judge_kinematic(passages_[i]);
  }
  judge_events();
  return wrong_.str();
}

}  // namespace

std::string what_is_wrong(const sim::PhysicsWorld& before, const sim::PhysicsWorld& after,
                          const sim::StepReport& report) {
  return Tick{before, after, report}.judge();
}

}  // namespace tickbox::test
