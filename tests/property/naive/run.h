#pragma once
// The state of the naive step during one tick: every body with its path so far, and the report.

#include "tests/property/naive/step.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tickbox::test::naive {

using i64 = std::int64_t;

constexpr i64 kSteps = (i64{1} << 30) - 1;
constexpr i64 kSpent = 64;  // events after which a body is spent
constexpr i64 kTired =
    8;  // events after which no friction acts, and no bounce off another dynamic body
constexpr i64 kVeryTired = 48;  // events after which no bounce off any body
constexpr std::size_t kNone = ~std::size_t{0};

/// The exact moment q + r / d, 0 <= r < d.
struct Time {
  i64 q, r, d;
};

/// Negative, zero or positive if x is before, at or after y.
int compare(Time x, Time y);

/// The moment n / d. Requires: d is not zero.
Time divide(i64 n, i64 d);

/// The position of a box from the fine time `from` on: base + v · s.
struct Piece {
  i64 from;
  std::array<i64, 2> base, v;
};

struct Thing {
  sim::Body body;  ///< as found, but after depenetration
  bool border = false;
  std::array<i64, 2> base{}, size{}, v{};
  std::array<i64, 2> first_v{};  ///< after rule 1
  std::vector<Piece> course;     ///< of the whole tick so far
  i64 events = 0;
  std::array<std::array<bool, 2>, 2> blocked{};  ///< [axis][towards larger coordinates]
  std::array<bool, 2> hit{};                     ///< [axis]: whether an event changed the velocity
  bool waits = false;

  std::size_t ridden = kNone;   ///< the body that it stood on in rule 3
  std::size_t carrier = kNone;  ///< the kinematic body below
  std::array<i64, 2> given{};
  bool gone = false;

  [[nodiscard]] i64 at(std::size_t k, i64 s) const { return base[k] + v[k] * s; }

  [[nodiscard]] bool dynamic() const { return !border && body.kind == sim::Kind::Dynamic; }

  [[nodiscard]] bool kinematic() const { return !border && body.kind == sim::Kind::Kinematic; }

  [[nodiscard]] bool mover() const { return dynamic() || kinematic(); }

  [[nodiscard]] bool ghost() const { return body.sensor || body.response == sim::Response::Pass; }

  [[nodiscard]] bool crushes() const { return kinematic() && body.squeeze == sim::Squeeze::Crush; }

  [[nodiscard]] bool one_way() const { return body.one_way != sim::OneWay::None; }

  [[nodiscard]] bool spent() const { return events >= kSpent; }

  [[nodiscard]] bool stops() const { return body.response == sim::Response::Stop; }

  [[nodiscard]] i64 bounce() const {
    return body.response == sim::Response::Bounce ? body.restitution : 0;
  }
};

bool meet(const Thing& x, const Thing& y);
bool collide(const Thing& x, const Thing& y);
bool apart_by_rule(const Thing& x, const Thing& y);
bool overlap_axis(const Thing& x, const Thing& y, std::size_t k, i64 s);
bool overlap_now(const Thing& x, const Thing& y, i64 s);

/// The solid side: its axis, and whether it is the side of larger coordinates.
struct SolidSide {
  std::size_t axis;
  bool high;
};

SolidSide solid_side(sim::OneWay one_way);

struct Hit {
  Time t{};
  i64 length = 0;
  std::size_t axis = 0;
  std::size_t a = 0, b = 0;  // indices in Run::things, a < b
  bool tie = false;          // a tie between the axes
};

/// One tick of a world, stepped by functions in the order of the rules.
struct Run {
  std::vector<Thing> things;  ///< sorted by id; the border last
  std::array<i64, 2> gravity{};
  bool solid_border = true;
  std::vector<std::pair<std::size_t, std::size_t>> crushing;  ///< pairs without further impacts
  std::vector<std::pair<std::size_t, std::size_t>>
      deep;  ///< pairs that overlapped when the sweep started
  sim::StepReport report;
  Ties ties;
};

void depenetrate(Run& run);             ///< rule 2
void give_riders(Run& run);             ///< rule 3
void handle(Run& run, const Hit& hit);  ///< rules 5 to 7
void take_from_riders(Run& run);        ///< rule 8
void watch_ghosts(Run& run);            ///< rule 10

/// Changes the velocity and not the position.
void turn(Thing& x, std::size_t k, i64 v, i64 s);

/// Removes the velocity that rule 3 gave, as rule 8 says.
void take_off(Thing& x, i64 s);

/// Returns v, moved toward zero by at most `amount` if both have the same sign.
i64 towards_zero(i64 v, i64 amount);

/// The nearest sub-unit.
i64 rounded(i64 fine);

}  // namespace tickbox::test::naive
