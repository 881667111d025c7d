// A scenario as somebody has written it: refused in one line, or a world that can be stepped.

#include "scenario/scenario.h"
#include "sim/step.h"
#include "tests/fuzz/fuzz_target.h"

#include <string_view>

using namespace tickbox;

namespace {

constexpr int kTicks = 8;
/// More than these only take long.
constexpr std::size_t kBodiesMax = 64;

}  // namespace

TICKBOX_FUZZ_TARGET(parse_scenario)(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto scenario = scenario::parse_scenario(text, "fuzz.json");
  if (!scenario) {
    fuzz::check(scenario.error().starts_with("fuzz.json") && !scenario.error().contains('\n'));
    return 0;
  }
  fuzz::check(scenario->tick_rate >= 1 && scenario->tick_rate <= scenario::kTickRateMax);
  fuzz::check(scenario->ticks <= scenario::kTicksMax);
  if (scenario->movers.size() + scenario->statics.size() > kBodiesMax) return 0;
  sim::World world = scenario::make_world(*scenario);
  sim::Stepper stepper;
  for (int tick = 0; tick < kTicks; ++tick) {
    stepper.step(world);
  }
  return 0;
}
