#pragma once
// A scene with kinematic bodies and paths; the checker judges its ticks. Bodies are made in units
// with at(), as in tests/unit/sim/scene.h.

#include "sim/step/overlaps.h"
#include "tests/property/any_stepper.h"
#include "tests/property/checker.h"
#include "tests/unit/sim/scene.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test {

/// About 30 units/s² at 60 Hz.
inline constexpr std::int32_t kGravity = 546;
inline constexpr sim::WorldSettings kGravityDown{.gravity = {0, kGravity}};

/// A kinematic body on the path of this index.
constexpr sim::Body on_path(sim::Body body, std::uint16_t path) {
  body.kind = sim::Kind::Kinematic;
  body.path = path;
  return body;
}

class Stage {
 public:
  Stage(sim::WorldSettings settings, const std::vector<sim::Body>& bodies,
        std::vector<sim::Path> paths = {})
      : world_(Scene::make_world(settings, bodies, std::move(paths))) {}

  /// Judges every tick; with more than 120 movers only overlaps, and only every 20 ticks.
  const sim::StepReport& step(int ticks = 1) {
    constexpr std::size_t kFullyJudged = 120;
    constexpr std::uint32_t kTicksBetweenLooks = 20;
    const sim::StepReport* report = nullptr;
    for (int n = 0; n < ticks; ++n) {
      if (world_.movers().size() > kFullyJudged) {
        report = &stepper_.step(world_);
        const bool looks = tick_ % kTicksBetweenLooks == 0;
        EXPECT_TRUE(!looks || sim::find_overlaps(world_).empty()) << "tick " << tick_;
      } else {
        const sim::PhysicsWorld before = world_;
        report = &stepper_.step(world_);
        const std::string wrong = what_is_wrong(before, world_, *report);
        EXPECT_TRUE(wrong.empty()) << "tick " << tick_ << '\n' << wrong;
      }
      ++tick_;
      frozen_ += report->frozen.size();
    }
    return *report;
  }

  [[nodiscard]] sim::PhysicsWorld& world() { return world_; }

  [[nodiscard]] sim::Body& body(std::uint32_t id) { return *world_.find_mover({id}); }

  /// The number of frozen bodies in all ticks so far.
  [[nodiscard]] std::size_t frozen() const { return frozen_; }

 private:
  sim::PhysicsWorld world_;
  AnyStepper stepper_;
  std::uint32_t tick_ = 0;
  std::size_t frozen_ = 0;
};

}  // namespace tickbox::test
