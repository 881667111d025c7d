#pragma once
// The step that the property tests judge: the fast one, or the naive one with TICKBOX_STEP=naive.
// If the naive one fails too, the rules have a hole; otherwise the fast step has a bug.

#include "sim/step.h"
#include "tests/property/naive/step.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace tickbox::test {

/// A variable of the environment, or nullptr if it is not set.
inline const char* setting(const char* name) {
  return std::getenv(name);
}

inline bool judges_naive_step() {
  const char* text = setting("TICKBOX_STEP");
  return text != nullptr && std::string_view{text} == "naive";
}

class AnyStepper {
 public:
  const sim::StepReport& step(sim::PhysicsWorld& world) {
    if (!naive_) return fast_.step(world);
    report_ = naive_step(world);
    return report_;
  }

 private:
  bool naive_ = judges_naive_step();
  sim::PhysicsStepper fast_;
  sim::StepReport report_;
};

/// One of how many seeds is tried: all, or one in ten if a step is slow (naive, checked or
/// unoptimised).
inline std::uint64_t one_in() {
#ifdef NDEBUG  // sanitizer builds have assertions
  constexpr bool kIsSlowBuild = false;
#else
  constexpr bool kIsSlowBuild = true;
#endif
  return judges_naive_step() || kIsSlowBuild ? 10 : 1;
}

/// The seeds 1 to `count`, or the first tenth of them if a step is slow. Only TICKBOX_SEED if it is
/// set.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const char* text = setting("TICKBOX_SEED")) return {std::strtoull(text, nullptr, 10)};
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= (count + one_in() - 1) / one_in(); ++seed) {
    all.push_back(seed);
  }
  return all;
}

}  // namespace tickbox::test
