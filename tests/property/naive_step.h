#pragma once
// A second step, written straight from the rules with every pair tried against every other: slow,
// short, and the judge of the fast one. It shares no code with common/sim but the types of World.

#include "sim/step.h"
#include "sim/world.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

struct NaiveReport {
  std::vector<sim::Contact> contacts;
  std::vector<BodyId> frozen;
  std::uint32_t events_max = 0;
};

NaiveReport naive_step(sim::World& world);

}  // namespace tickbox::test
