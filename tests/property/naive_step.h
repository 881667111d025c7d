#pragma once
// A second step, written straight from common/sim/RULES.md with every pair tried against every
// other: slow, plain, and the judge of the fast one. It shares no code with common/sim but the
// types of World and of the report, and Path::place_at.
//
// Read it beside the rules: naive_step.cpp is the tick as a whole (rules 1, 4 and 8),
// naive_parting.cpp is rule 2, naive_riders.cpp rules 3 and 8, naive_events.cpp rules 5 to 7,
// naive_ghosts.cpp rule 10.

#include "sim/step.h"
#include "sim/world.h"

#include <cstdint>
#include <vector>

namespace tickbox::test {

/// Everything sim::StepReport holds, under the same names.
struct NaiveReport {
  std::vector<sim::Contact> contacts;
  std::vector<BodyId> frozen;
  std::vector<BodyId> left;
  std::vector<sim::BodyPair> overlaps;
  std::vector<sim::BodyPair> separated;
  std::vector<BodyId> blocked;
  std::vector<BodyId> crushed;
  std::vector<sim::BodyPair> begin;
  std::vector<sim::BodyPair> end;
  std::uint32_t events = 0;
  std::uint32_t events_max = 0;
};

NaiveReport naive_step(sim::World& world);

}  // namespace tickbox::test
