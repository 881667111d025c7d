#pragma once
// A scenario file of tests/data/articles, stepped tick by tick, and its results in values that a
// test can write down.

#include "client/scenario/scenario.h"
#include "sim/step.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace tickbox {

/// In units: how a failed test shows a place, a way or a velocity.
std::ostream& operator<<(std::ostream& stream, Vec2 vector);

}  // namespace tickbox

namespace tickbox::test {

/// Units as sub-units. Requires: they are a whole number of those.
[[nodiscard]] Vec2 units(double x, double y);

/// `place`, moved by whole sub-units.
[[nodiscard]] constexpr Vec2 off_by(Vec2 sub_units, Vec2 place) {
  return {place.x + sub_units.x, place.y + sub_units.y};
}

/// A share of the tick, exactly.
[[nodiscard]] constexpr sim::Moment share(std::int64_t part, std::int64_t whole) {
  return {sim::kFineSteps * part / whole, sim::kFineSteps * part % whole, whole};
}

/// One contact: its two bodies, on which side of `b` body `a` is, and when.
struct Met {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  Vec2 normal{};
  sim::Moment at{};

  friend bool operator==(const Met&, const Met&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Met& met);
};

using Meetings = std::vector<Met>;

/// A pair of bodies, as steps report it.
[[nodiscard]] constexpr sim::BodyPair both(std::uint32_t low, std::uint32_t high) {
  return {{low}, {high}};
}

class Scene {
 public:
  /// Throws std::runtime_error with what is wrong with the file.
  explicit Scene(const std::string& file);

  [[nodiscard]] static std::string path_of(const std::string& file);

  /// Steps one tick. Expects the report to name exactly the pairs that overlap after it, although
  /// the step keeps them apart.
  const sim::StepReport& step();

  /// Steps until the tick with which the file ends.
  void run();

  [[nodiscard]] Vec2 at(std::uint32_t id) const { return body(id).min; }

  [[nodiscard]] Vec2 velocity(std::uint32_t id) const { return body(id).velocity; }

  /// The contacts of the last tick.
  [[nodiscard]] Meetings met() const;

  /// Ticks that had a contact so far.
  [[nodiscard]] const std::vector<std::uint32_t>& contact_ticks() const { return contact_ticks_; }

  [[nodiscard]] sim::World& world() { return world_; }

  [[nodiscard]] const sim::StepReport& report() const { return report_; }

 private:
  [[nodiscard]] const sim::Body& body(std::uint32_t id) const;
  void expect_apart() const;

  std::string file_;
  scenario::Scenario scenario_;
  sim::World world_;
  sim::Stepper stepper_;
  sim::StepReport report_;
  Tick tick_{};
  std::vector<std::uint32_t> contact_ticks_;
};

/// The scene of a file after one tick.
[[nodiscard]] Scene stepped(const std::string& file);

}  // namespace tickbox::test
