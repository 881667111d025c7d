#include "tests/reference/single_mover.h"

#include "sim/step/motion.h"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

using Rational = boost::multiprecision::cpp_rational;

/// One fine step, in ticks.
const Rational kFineStep{1, sim::kFineSteps};

/// A moment of the continuous tick, in ticks from its start. On the lattice it may be less than
/// `slack` fine steps earlier; it is exact if `slack` is 0.
struct Instant {
  Rational time;
  int slack = 0;
  std::optional<sim::Axis> clock;  ///< moments of one clock are earlier by the same amount

  [[nodiscard]] Rational earliest() const { return time - slack * kFineStep; }
};

/// Whether a is certainly before b, on the lattice too.
bool surely_before(const Instant& a, const Instant& b) {
  if (a.slack == b.slack && a.clock == b.clock) return a.time < b.time;
  return b.slack > 0 ? a.time <= b.earliest() : a.time < b.time;
}

/// Whether a is certainly at b or after it, on the lattice too.
bool surely_not_before(const Instant& a, const Instant& b) {
  if (a.slack == b.slack && a.clock == b.clock) return a.time >= b.time;
  return a.earliest() >= b.time;
}

/// Whether both are certainly the same, on the lattice too.
bool surely_same(const Instant& a, const Instant& b) {
  return a.time == b.time && a.slack == b.slack && (a.slack == 0 || a.clock == b.clock);
}

struct ExactContact {
  Instant at;
  BodyId with;
  sim::Axis axis = 0;
  int normal = 0;                          ///< along `axis`, from the other body to the mover
  std::array<std::int64_t, 2> velocity{};  ///< of the mover, before the contact
};

struct ExactTick {
  std::vector<ExactContact> contacts;  ///< by time, id, axis, normal, slack
  bool unsure = false;                 ///< only the contacts before the last moment are known
  std::array<Rational, 2> place;       ///< the minimum corner at the end, in sub-units
  std::array<Rational, 2>
      tolerance;  ///< the largest deviation of the step from it, without the rounding
  std::array<std::int64_t, 2> velocity{};  ///< at the end
};

using sim::Axis;

constexpr int kTiredAfter = 48;

const Instant kEnd{.time = 1};

/// The motion on one axis: at `place` at the moment `since`.
struct Course {
  std::int64_t size = 0;
  Rational place;
  Instant since;
  std::int64_t velocity = 0;

  [[nodiscard]] Instant reaches(std::int64_t target) const {
    return {since.time + (target - place) / velocity, since.slack, since.clock};
  }

  [[nodiscard]] Rational at(const Rational& time) const {
    return place + velocity * (time - since.time);
  }
};

/// The open interval in which the mover's minimum corner must not be, on one axis.
struct Forbidden {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

struct Hit {
  Instant at;
  const sim::Body* with = nullptr;  ///< nullptr: the border
  Axis axis = 0;
  Rational length;
};

enum class Answer : std::uint8_t { No, Yes, Unsure };

Answer answer(bool surely, bool surely_not) {
  if (surely) return Answer::Yes;
  return surely_not ? Answer::No : Answer::Unsure;
}

bool is_listed_before(const ExactContact& a, const ExactContact& b) {
  if (a.at.time != b.at.time) return a.at.time < b.at.time;
  if (a.with != b.with) return a.with < b.with;
  if (a.axis != b.axis) return a.axis < b.axis;
  if (a.normal != b.normal) return a.normal < b.normal;
  return a.at.slack < b.at.slack;
}

class Solver {
 public:
  explicit Solver(const sim::PhysicsWorld& world) : world_(world), body_(world.movers().front()) {
    for (Axis axis = 0; axis < 2; ++axis) {
      const std::int64_t pull =
          std::int64_t{world.settings().gravity[axis]} * body_.gravity_scale / 256;
      const std::int64_t limit = kSpeedLimit;
      courses_[axis] = {.size = body_.size[axis],
                        .place = body_.min[axis],
                        .velocity = std::clamp(body_.velocity[axis] + pull, -limit, limit)};
    }
  }

  ExactTick run() {
    while (const auto hit = first_hit()) {
      handle(*hit);
    }
    for (Axis axis = 0; axis < 2; ++axis) {
      const Course& course = courses_[axis];
      tick_.place[axis] = course.at(1);
      tick_.velocity[axis] = course.velocity;
      tick_.tolerance[axis] += course.since.slack * std::abs(course.velocity) * kFineStep;
    }
    std::ranges::sort(tick_.contacts, is_listed_before);
    return std::move(tick_);
  }

 private:
  [[nodiscard]] Forbidden forbidden(const sim::Body& wall, Axis axis) const {
    return {std::int64_t{wall.min[axis]} - courses_[axis].size,
            std::int64_t{wall.min[axis]} + wall.size[axis]};
  }

  [[nodiscard]] Instant entry(const Forbidden& interval, Axis axis) const {
    return courses_[axis].reaches(courses_[axis].velocity > 0 ? interval.low : interval.high);
  }

  [[nodiscard]] Instant exit(const Forbidden& interval, Axis axis) const {
    return courses_[axis].reaches(courses_[axis].velocity > 0 ? interval.high : interval.low);
  }

  [[nodiscard]] bool is_still(Axis axis) const { return courses_[axis].velocity == 0; }

  /// The length of the common edge at the fine step before `at`.
  [[nodiscard]] Rational common_edge(const sim::Body& wall, const Instant& at, Axis axis) const {
    const Axis across = 1 - axis;
    const Course& course = courses_[across];
    const Rational fine = at.time * sim::kFineSteps;
    const Rational step{numerator(fine) / denominator(fine), sim::kFineSteps};
    const Rational place = course.at(step);
    const Rational low = std::max<Rational>(place, wall.min[across]);
    const Rational high =
        std::min<Rational>(place + course.size, std::int64_t{wall.min[across]} + wall.size[across]);
    return std::max<Rational>(0, high - low);
  }

  /// Whether the mover enters a wall along `axis`, if this is the axis entered last.
  [[nodiscard]] Answer enters(const std::array<Forbidden, 2>& wall, Axis axis) const {
    const Instant in = entry(wall[axis], axis);
    Answer all = answer(surely_not_before(in, now_), surely_before(in, now_));
    const auto and_also = [&](Answer next) {
      if (all == Answer::No || next == Answer::No) {
        all = Answer::No;
      } else if (next == Answer::Unsure) {
        all = Answer::Unsure;
      }
    };
    and_also(answer(surely_before(in, kEnd), surely_not_before(in, kEnd)));
    const Axis across = 1 - axis;
    if (!is_still(across)) {
      const Instant out = exit(wall[across], across);
      and_also(answer(surely_before(in, out), surely_not_before(in, out)));
    }
    return all;
  }

  /// The axis on which a wall is entered last; nothing if that is unsure.
  [[nodiscard]] std::optional<Axis> last_entered(const std::array<Forbidden, 2>& wall) const {
    if (is_still(0)) return 1;
    if (is_still(1)) return 0;
    const Instant x = entry(wall[0], 0);
    const Instant y = entry(wall[1], 1);
    if (surely_before(y, x)) return 0;
    if (surely_before(x, y)) return 1;
    if (!surely_same(x, y)) return std::nullopt;
    return std::abs(courses_[0].velocity) > std::abs(courses_[1].velocity) ? 0 : 1;
  }

  /// Whether a wall is solid for a body that moves like the mover on `axis`.
  [[nodiscard]] bool is_solid_from(const sim::Body& wall, Axis axis) const {
    const bool comes_from_low = courses_[axis].velocity > 0;
    switch (wall.one_way) {
      case sim::OneWay::None:
        return true;
      case sim::OneWay::Left:
      case sim::OneWay::Right:
        return axis == 0 && comes_from_low == (wall.one_way == sim::OneWay::Left);
      case sim::OneWay::Up:
      case sim::OneWay::Down:
        return axis == 1 && comes_from_low == (wall.one_way == sim::OneWay::Up);
    }
    return true;
  }

  void consider_wall(const sim::Body& wall) {
    if (is_still(0) && is_still(1)) return;
    if (!may_collide(wall, body_)) return;
    const std::array<Forbidden, 2> interval = {forbidden(wall, 0), forbidden(wall, 1)};
    for (Axis axis = 0; axis < 2; ++axis) {
      const Rational& place = courses_[axis].place;
      if (is_still(axis) && (place <= interval[axis].low || place >= interval[axis].high)) return;
    }
    const auto axis = last_entered(interval);
    if (!axis) {
      const bool is_missed = enters(interval, 0) == Answer::No && enters(interval, 1) == Answer::No;
      tick_.unsure = tick_.unsure || !is_missed;
      return;
    }
    const Answer hits = enters(interval, *axis);
    if (hits == Answer::No || !is_solid_from(wall, *axis)) return;
    if (hits == Answer::Unsure) tick_.unsure = true;
    if (hits != Answer::Yes) return;
    const Instant at = entry(interval[*axis], *axis);
    take_if_first({at, &wall, *axis, common_edge(wall, at, *axis)});
  }

  void consider_border(Axis axis) {
    const Course& course = courses_[axis];
    if (world_.settings().border != sim::Border::Solid || course.velocity == 0) return;
    const std::int64_t limit = kWorldLimit;
    const Instant at = course.reaches(course.velocity > 0 ? limit - course.size : -limit);
    if (surely_not_before(at, kEnd)) return;
    if (!surely_before(at, kEnd)) tick_.unsure = true;
    take_if_first({at, nullptr, axis, courses_[1 - axis].size});
  }

  void take_if_first(const Hit& hit) {
    if (!best_ || surely_before(hit.at, best_->at)) {
      best_ = hit;
    } else if (surely_same(hit.at, best_->at)) {
      if (is_first_of_ties(hit, *best_)) best_ = hit;
    } else if (!surely_before(best_->at, hit.at)) {
      tick_.unsure = true;
    }
  }

  // Longer contact, lower id. Of two sides of the world: the one of larger speed, then y.
  [[nodiscard]] bool is_first_of_ties(const Hit& a, const Hit& b) {
    // The length of a contact is that at the time rounded down to the lattice, which is known only
    // without a lead.
    for (const Course& course : courses_) {
      if (course.velocity != 0 && course.since.slack > 0) tick_.unsure = true;
    }
    if (a.length != b.length) return a.length > b.length;
    if (id_of(a) != id_of(b)) return id_of(a) < id_of(b);
    return a.axis == 1 && std::abs(courses_[1].velocity) >= std::abs(courses_[0].velocity);
  }

  static BodyId id_of(const Hit& hit) {
    return hit.with != nullptr ? hit.with->id : sim::kWorldBorder;
  }

  std::optional<Hit> first_hit() {
    best_.reset();
    for (const sim::Body& wall : world_.statics().bodies()) {
      consider_wall(wall);
    }
    consider_border(0);
    consider_border(1);
    if (tick_.unsure) return std::nullopt;
    return best_;
  }

  [[nodiscard]] std::int64_t rebound(const Hit& hit, std::int64_t approach) const {
    const auto bounciness = [](const sim::Body& body) {
      return body.response == sim::Response::Bounce ? body.restitution : 0;
    };
    const bool stops = body_.response == sim::Response::Stop ||
                       (hit.with != nullptr && hit.with->response == sim::Response::Stop);
    const std::int64_t gravity = world_.settings().gravity[hit.axis];
    if (stops || approach <= 2 * std::abs(gravity) || events_ >= kTiredAfter) return 0;
    const int wall = hit.with != nullptr ? bounciness(*hit.with) : 0;
    return approach * std::max<std::int64_t>(bounciness(body_), wall) / sim::kFullRestitution;
  }

  void handle(const Hit& hit) {
    Course& course = courses_[hit.axis];
    const int normal = course.velocity > 0 ? -1 : 1;
    tick_.contacts.push_back(
        {hit.at, id_of(hit), hit.axis, normal, {courses_[0].velocity, courses_[1].velocity}});
    now_ = {hit.at.time, hit.at.slack + 1, hit.axis};

    const std::int64_t back = rebound(hit, std::abs(course.velocity));
    course.place = course.at(hit.at.time);
    course.since = now_;
    course.velocity = normal * back;
    if (events_ == 0 && body_.response == sim::Response::Stop) {
      const Axis across = 1 - hit.axis;
      Course& other = courses_[across];
      tick_.tolerance[across] = std::abs(other.velocity) * kFineStep;
      other.place = other.at(hit.at.time);
      other.velocity = 0;
    }
    ++events_;
  }

  const sim::PhysicsWorld& world_;
  const sim::Body& body_;
  std::array<Course, 2> courses_;
  Instant now_;
  int events_ = 0;
  std::optional<Hit> best_;
  ExactTick tick_;
};

Rational time_of(const sim::Contact& contact) {
  const Rational fine = contact.time + Rational{contact.time_rest} / contact.time_divisor;
  return fine / sim::kFineSteps;
}

std::string difference(const ExactContact& expected, const sim::Contact& contact, BodyId mover) {
  const BodyId with = contact.a == mover ? contact.b : contact.a;
  if (with != expected.with) return "another body is hit";
  const int normal = contact.a == mover ? expected.normal : -expected.normal;
  const bool is_same_side = expected.axis == 0
                                ? contact.normal_x == normal && contact.normal_y == 0
                                : contact.normal_y == normal && contact.normal_x == 0;
  if (!is_same_side) return "another side is hit";
  const int sign = contact.a == mover ? 1 : -1;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (contact.relative_velocity[axis] != sign * expected.velocity[axis]) {
      return "it is hit at another velocity";
    }
  }
  const Rational time = time_of(contact);
  if (expected.at.slack == 0 && time != expected.at.time) return "not at the exact time";
  if (expected.at.slack > 0 && (time > expected.at.time || time <= expected.at.earliest())) {
    return "too early or too late";
  }
  return {};
}

/// The contacts of the step, with those of one exact moment in the order of `exact`.
std::vector<sim::Contact> in_the_order_of(const ExactTick& exact,
                                          const std::vector<sim::Contact>& reported) {
  std::vector<sim::Contact> contacts = reported;
  const std::size_t count = std::min(contacts.size(), exact.contacts.size());
  std::size_t end = 0;
  for (std::size_t first = 0; first < count; first = end) {
    const Rational& moment = exact.contacts[first].at.time;
    while (end < count && exact.contacts[end].at.time == moment) {
      ++end;
    }
    const auto key = [](const sim::Contact& contact) {
      return std::tuple{contact.a, contact.b, contact.normal_y != 0,
                        contact.normal_x + contact.normal_y};
    };
    // Of several contacts with one face the earlier has less lead, or more speed.
    std::sort(contacts.begin() + static_cast<std::ptrdiff_t>(first),
              contacts.begin() + static_cast<std::ptrdiff_t>(end),
              [&](const sim::Contact& a, const sim::Contact& b) {
                if (key(a) != key(b)) return key(a) < key(b);
                if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
                return a.time_divisor > b.time_divisor;
              });
  }
  return contacts;
}

/// Returns the first thing in the step that the exact tick does not allow; empty if there is none.
std::string difference(const ExactTick& exact, const sim::StepReport& report,
                       const sim::Body& mover, Comparison& compared) {
  std::size_t known = exact.contacts.size();
  while (exact.unsure && known > 0 &&
         exact.contacts[known - 1].at.time == exact.contacts.back().at.time) {
    --known;
  }
  if (report.contacts.size() < known) return "contacts are missing";
  if (!exact.unsure && report.contacts.size() != known) return "there are too many contacts";
  const std::vector<sim::Contact> contacts = in_the_order_of(exact, report.contacts);
  for (std::size_t i = 0; i < known; ++i) {
    const ExactContact& expected = exact.contacts[i];
    const std::string what = difference(expected, contacts[i], mover.id);
    if (!what.empty()) return "contact " + std::to_string(i) + ": " + what;
    if (expected.at.slack > 0) ++compared.led_contacts;
  }
  compared.contacts = known;
  compared.unsure = exact.unsure;
  if (exact.unsure) return {};
  const Rational half{1, 2};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const Rational error = abs(Rational{mover.min[axis] - exact.place[axis]});
    if (error > half + exact.tolerance[axis]) return "it ends elsewhere";
    if (mover.velocity[axis] != exact.velocity[axis]) return "it ends at another velocity";
  }
  return {};
}

}  // namespace

Comparison compare_with_exact(const sim::PhysicsWorld& before, const sim::StepReport& report,
                              const sim::Body& after) {
  Comparison compared;
  compared.difference = difference(Solver{before}.run(), report, after, compared);
  return compared;
}

}  // namespace tickbox::test
