#include "client/scenario/scales.h"

#include "sim/body.h"

#include <utility>

namespace tickbox::scenario {
namespace {

std::string within(std::int64_t most) {
  return "from -" + std::to_string(most) + " to " + std::to_string(most);
}

std::int64_t fastest(std::uint32_t ticks_per_second) {
  return std::int64_t{kSpeedLimit / kUnit} * ticks_per_second;
}

}  // namespace

Scale places() {
  return {.factor = kUnit,
          .low = -kWorldLimit,
          .high = kWorldLimit,
          .words = within(kWorldLimit / kUnit)};
}

Scale sizes() {
  return {.factor = kUnit, .low = 1, .high = sim::kSizeLimit, .words = "from 1/65536 to 16384"};
}

Scale shares(std::int64_t whole, std::int64_t high, std::string words) {
  return {.factor = static_cast<double>(whole), .low = 0, .high = high, .words = std::move(words)};
}

Scale velocities(std::uint32_t ticks_per_second) {
  return {.factor = static_cast<double>(kUnit) / ticks_per_second,
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = within(fastest(ticks_per_second))};
}

Scale speeds(std::uint32_t ticks_per_second) {
  Scale scale = velocities(ticks_per_second);
  scale.low = 0;
  scale.words = "from 0 to " + std::to_string(fastest(ticks_per_second));
  return scale;
}

Scale accelerations(std::uint32_t ticks_per_second) {
  const double rate = ticks_per_second;
  return {.factor = static_cast<double>(kUnit) / (rate * rate),
          .low = -kSpeedLimit,
          .high = kSpeedLimit,
          .words = within(fastest(ticks_per_second) * ticks_per_second)};
}

std::int64_t id_max() {
  return std::int64_t{UINT32_MAX} - 2;
}

}  // namespace tickbox::scenario
