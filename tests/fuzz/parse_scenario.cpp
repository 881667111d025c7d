// A scenario as somebody has written it: refused in one line, or a world that can be stepped.

#include "client/scenario/scenario.h"
#include "sim/step.h"
#include "tests/fuzz/fuzz_target.h"

using namespace tickbox;

namespace {

constexpr int kTicksPlayed = 8;
/// More than these only take long.
constexpr std::size_t kBodiesMax = 64;

}  // namespace

TICKBOX_FUZZ_TARGET(parse_scenario)(ConstBytes input) {
  const auto scenario = scenario::parse_scenario(fuzz::text_of(input), "fuzz.json");
  if (!fuzz::is_read(scenario)) {
    fuzz::check(scenario.error().starts_with("fuzz.json"));
    return;
  }
  fuzz::check(scenario->tick_rate >= 1 && scenario->tick_rate <= scenario::kTickRateMax);
  fuzz::check(scenario->ticks <= scenario::kTicksMax);
  if (scenario->movers.size() + scenario->statics.size() > kBodiesMax) return;
  sim::PhysicsWorld world = scenario::make_world(*scenario);
  sim::PhysicsStepper stepper;
  for (int tick = 0; tick < kTicksPlayed; ++tick) {
    stepper.step(world);
  }
}
