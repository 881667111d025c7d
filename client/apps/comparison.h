#pragma once
// A world stepped twice: by the simulation, and by the plain discrete method beside it. What came
// through what, in each of them, is counted in the same way.

#include "client/apps/crossings.h"
#include "client/apps/discrete_step.h"

#include <string>
#include <vector>

namespace tickbox::apps {

/// What came of one of the two.
struct ComparedSide {
  CrossingCounts crossings{};
  std::vector<BodyId> beyond{};
  std::size_t overlaps_left = 0;
};

struct Compared {
  ComparedSide discrete{};
  ComparedSide tickbox{};
};

class Comparison {
 public:
  /// Begins with a copy of `world`.
  explicit Comparison(const sim::World& world) : discrete_(world) {}

  /// The discrete one, for what is changed from outside.
  [[nodiscard]] sim::World& discrete_world() { return discrete_; }

  /// To be called when all changes of a tick are made, and before `world` is stepped.
  void before_step(const sim::World& world);

  /// To be called when it has been; steps the discrete one.
  void after_step(Tick tick, const sim::World& world, const sim::StepReport& report);

  [[nodiscard]] Compared result(const sim::World& world) const;

 private:
  sim::World discrete_;
  DiscreteStepper stepper_;
  std::vector<BodyId> riders_;  ///< before the tick
  CrossingCounter ours_;
  CrossingCounter theirs_;
};

/// `{"with":"discrete","discrete":{…},"tickbox":{…}}`
[[nodiscard]] std::string comparison_document(const Compared& compared);

/// Some lines for people.
[[nodiscard]] std::string comparison_summary(const Compared& compared);

}  // namespace tickbox::apps
