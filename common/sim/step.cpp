#include "sim/step.h"

#include "core/assert.h"
#include "sim/search_budget.h"
#include "sim/step/carry.h"
#include "sim/step/contact_sorter.h"
#include "sim/step/depenetrate.h"
#include "sim/step/integrate.h"
#include "sim/step/overlaps.h"
#include "sim/step/resolve_resting.h"
#include "sim/step/round.h"
#include "sim/step/sensors.h"
#include "sim/step/sweep.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace tickbox::sim {
namespace {

void clear(StepReport& report) {
  for (auto* list : {&report.frozen, &report.left, &report.blocked, &report.crushed}) {
    list->clear();
  }
  for (auto* list :
       {&report.overlaps, &report.separated, &report.begin, &report.end, &report.influences}) {
    list->clear();
  }
  report.contacts.clear();
}

void reserve(std::size_t movers, StepReport& report) {
  reserve_all(movers, report.frozen, report.left, report.blocked, report.crushed, report.overlaps,
              report.separated, report.begin, report.end, report.influences);
}

/// Puts the lists of a report into their order, and removes from the overlaps the pairs that do not
/// overlap any more. No other pair overlaps now.
void finish(const Environment& environment, const Movers& movers, StepReport& report) {
  report.events = static_cast<std::uint32_t>(report.contacts.size());
  sort_unique(report.crushed);
  sort_unique(report.blocked);
  sort_unique(report.influences);
  sort_unique(report.overlaps);
  std::sort(report.begin.begin(), report.begin.end());
  std::sort(report.end.begin(), report.end.end());
  std::erase_if(report.overlaps, [&](const BodyPair& pair) {
    const Body* a = find_body(pair.low, environment, movers);
    const Body* b = find_body(pair.high, environment, movers);
    return a == nullptr || b == nullptr ||
           !overlap(box_of(a->min, a->size), box_of(b->min, b->size));
  });
}

}  // namespace

/// The state of one step.
struct PhysicsStepper::Scratch {
  Environment environment;
  Movers movers;
  Candidates candidates;
  Impacts impacts;
  Courses courses;
  ContactSorter sorter;
  std::vector<std::uint32_t> turns;  ///< of depenetration, by mover
  StepReport report;
  SearchBudget searches;
  std::size_t capacity = 0;  ///< movers for which memory is reserved

  void start(PhysicsWorld& world);
  void reserve_for(std::size_t count);
  void find_candidates();
  void step(PhysicsWorld& world);
};

/// One tick: the stages in the order of RULES.md.
void PhysicsStepper::Scratch::step(PhysicsWorld& world) {
  start(world);
  if (searches.ends_step()) return;
  integrate(environment, movers);
  find_candidates();
  const bool moved = depenetrate(environment, movers, turns, report);
  if (moved) find_candidates();
  if (searches.ends_step()) return clear(report);
  resolve_resting(environment, movers, candidates, impacts, report);
  const std::size_t at_start = report.contacts.size();
  sweep(environment, movers, candidates, impacts, report);
  if (searches.ends_step()) return clear(report);
  round_positions(environment, movers, report);
  release_riders(environment, movers, report);
  if (movers.has_ghosts) report_sensors(environment, movers, candidates, courses, report);
  world.remove(report.left);
  movers.bodies = world.movers();
  sorter.sort(report.contacts, at_start);
  finish(environment, movers, report);
}

/// Finds which movers and walls each mover may meet on its path. A second attempt, after bodies
/// were moved, forgets what the first one found.
void PhysicsStepper::Scratch::find_candidates() {
  begin_paths(movers, candidates);
  if (carry_riders(environment, movers, report)) begin_carried_paths(movers, candidates);
  impacts.start(movers.bodies.size());
  report.contacts.clear();
  report.crushed.clear();
  report.overlaps.clear();
  find_pairs(movers, candidates, report);
  meet_walls(environment, movers, candidates, impacts, report);
}

void PhysicsStepper::Scratch::start(PhysicsWorld& world) {
  const std::size_t count = world.movers().size();
  if (count >= capacity) reserve_for(count);
  environment = {world.settings(), &world.statics(), world.immovables()};
  movers.start(world.movers(), searches);
  candidates.known = &world.step_memory().walls();
  candidates.known->start(world);
  candidates.walls.start(count);
  clear(report);
}

/// Reserves memory in advance, so that a warm step allocates none. Lists that the number of movers
/// does not bound get some more than the busiest worlds of the tests need: piles, crowds, platforms
/// full of riders. In a busier world such a list grows once.
void PhysicsStepper::Scratch::reserve_for(std::size_t count) {
  constexpr std::size_t kContactsPerMover = 4;
  capacity = std::bit_ceil(count + 1);
  const std::size_t size = capacity + 1;  // lists of ranges also have an end
  movers.reserve(size);
  candidates.reserve(size);
  impacts.reserve(size);
  courses.reserve(size);
  turns.reserve(size);
  reserve(size, report);
  report.contacts.reserve(kContactsPerMover * size);
  sorter.reserve(kContactsPerMover * size);
}

PhysicsStepper::PhysicsStepper() : scratch_(std::make_unique<Scratch>()) {}

PhysicsStepper::~PhysicsStepper() = default;
PhysicsStepper::PhysicsStepper(PhysicsStepper&&) noexcept = default;
PhysicsStepper& PhysicsStepper::operator=(PhysicsStepper&&) noexcept = default;

void PhysicsStepper::limit(SearchLimit limit) {
  scratch_->searches.start(std::move(limit));
}

std::uint64_t PhysicsStepper::searches_left() const {
  return scratch_->searches.remaining();
}

const StepReport& PhysicsStepper::step(PhysicsWorld& world) {
  scratch_->step(world);
#ifdef TICKBOX_AUDIT
  // No pair overlaps that did not when the tick began. Positions alone decide, not the step's
  // lists.
  TICKBOX_ASSERT(gave_up() || find_overlaps(world) == scratch_->report.overlaps);
#endif
  return scratch_->report;
}

}  // namespace tickbox::sim
