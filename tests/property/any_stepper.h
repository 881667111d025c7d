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

/// A variable of the environment, nullptr where it is not set.
inline const char* setting(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets any
}

inline bool judges_naive_step() {
  const char* text = setting("TICKBOX_STEP");
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

/// Of all seeds, how many are tried: one in ten where a step is slow, be it the naive one, checked
/// or unoptimised.
inline std::uint64_t one_in() {
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr bool kIsSlowBuild = false;
#else
  constexpr bool kIsSlowBuild = true;
#endif
  return judges_naive_step() || kIsSlowBuild ? 10 : 1;
}

/// 1 to `count`, or the first of them where a step is slow; only TICKBOX_SEED where that is set.
inline std::vector<std::uint64_t> seeds(std::uint64_t count) {
  if (const char* text = setting("TICKBOX_SEED")) return {std::strtoull(text, nullptr, 10)};
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= (count + one_in() - 1) / one_in(); ++seed) {
    all.push_back(seed);
  }
  return all;
}

}  // namespace tickbox::test
