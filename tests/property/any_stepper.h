#pragma once
// The step that the property tests judge: the fast one, or with TICKBOX_STEP=naive the naive one,
// which tells a mistake of the fast step from a hole in the rules.

#include "sim/step.h"
#include "tests/property/naive_step.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace tickbox::test {

inline bool judges_naive_step() {
  const char* text = std::getenv("TICKBOX_STEP");
  return text != nullptr && std::string_view{text} == "naive";
}

class AnyStepper {
 public:
  const sim::StepReport& step(sim::World& world) {
    if (!naive_) return fast_.step(world);
    report_ = naive_step(world);
    return report_;
  }

 private:
  bool naive_ = judges_naive_step();
  sim::Stepper fast_;
  sim::StepReport report_;
};

/// 1 to `count`; only TICKBOX_SEED where that is set, and fewer for the naive step.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  constexpr std::uint64_t kNaiveIsSlower = 10;
  if (const char* text = std::getenv("TICKBOX_SEED")) {
    return {std::strtoull(text, nullptr, 10)};
  }
  if (judges_naive_step()) count = (count + kNaiveIsSlower - 1) / kNaiveIsSlower;
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    all.push_back(seed);
  }
  return all;
}

}  // namespace tickbox::test
