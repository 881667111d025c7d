// Bodies that nothing joins with the rest of a world move as they would alone. So a server can send
// causes only. A client that knows a whole island, and no other body, steps it to the same bits.
//
// Contacts and influences of 30 ticks join movers into islands, and each island with the fixed
// bodies that it met. A random half of the islands is put into an empty world on the same statics,
// with these fixed bodies and no others, and stepped beside the whole world.

#include "sim/step.h"
#include "tests/property/any_stepper.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test {
namespace {

constexpr int kTicks = 30;
constexpr std::uint64_t kSeeds = 2'000;

/// Groups of bodies by id: a union-find forest with one root per island.
class Islands {
 public:
  [[nodiscard]] std::uint64_t root_of(BodyId id) {
    auto [it, is_new] = parent_.try_emplace(id.value, id.value);
    if (it->second == id.value) return id.value;
    return it->second = root_of({it->second});
  }

  void join(BodyId a, BodyId b) { parent_[root_of(a)] = root_of(b); }

  void note_fixed(BodyId mover, BodyId fixed) { met_.insert({mover.value, fixed.value}); }

  /// Each mover that met a fixed body, and that body.
  [[nodiscard]] const auto& met() const { return met_; }

 private:
  std::map<std::uint64_t, std::uint64_t> parent_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> met_;
};

void join_all(Islands& islands, const sim::PhysicsWorld& before, const sim::StepReport& report) {
  const auto join = [&](BodyId a, BodyId b) {
    const bool a_moves = before.find_mover(a) != nullptr;
    const bool b_moves = before.find_mover(b) != nullptr;
    if (a_moves && b_moves) {
      islands.join(a, b);
    } else if (before.find(a) != nullptr && before.find(b) != nullptr) {
      islands.note_fixed(a_moves ? a : b, a_moves ? b : a);
    }
  };
  for (const sim::Contact& contact : report.contacts) {
    join(contact.a, contact.b);
  }
  for (const sim::BodyPair& pair : report.influences) {
    join(pair.low, pair.high);
  }
}

struct Counts {
  std::uint64_t compared = 0;  ///< bodies, once per tick
  std::uint64_t left_out = 0;  ///< movers of whole worlds that were not in the half
  std::uint64_t islands = 0;   ///< islands with more than one body, in the half
  std::uint64_t fixed = 0;     ///< fixed bodies in the half
  std::uint64_t fixed_left_out = 0;
};

void try_world(const sim::PhysicsWorld& start, std::uint64_t seed, Counts& counts) {
  sim::PhysicsStepper stepper;
  Islands islands;
  sim::PhysicsWorld whole = start;
  std::vector<sim::PhysicsWorld> states;
  for (int tick = 0; tick < kTicks; ++tick) {
    const sim::PhysicsWorld before = whole;
    join_all(islands, before, stepper.step(whole));
    states.push_back(whole);
  }

  sim::PhysicsWorld half{start.settings(), start.shared_statics()};
  std::map<std::uint64_t, std::uint64_t> sizes;
  for (const sim::Body& body : start.movers()) {
    const std::uint64_t island = islands.root_of(body.id);
    Rng choice{seed * 1'000'003 + island};
    if (!choice.chance(1, 2)) {
      ++counts.left_out;
      continue;
    }
    half.add(body);
    counts.islands += ++sizes[island] == 2 ? 1U : 0U;
  }
  for (const auto& [mover, fixed] : islands.met()) {
    if (half.find({mover}) == nullptr || half.find({fixed}) != nullptr) continue;
    half.add(*start.find({fixed}));
  }
  counts.fixed += half.fixed().size();
  counts.fixed_left_out += start.fixed().size() - half.fixed().size();
  for (int tick = 0; tick < kTicks; ++tick) {
    stepper.step(half);
    for (const sim::Body& body : half.movers()) {
      const sim::Body* expected = states[static_cast<std::size_t>(tick)].find(body.id);
      ASSERT_TRUE(expected != nullptr && body == *expected)
          << "seed " << seed << " tick " << tick + 1 << " body " << body.id.value << '\n'
          << text_of(start);
      ++counts.compared;
    }
  }
}

class Closure : public testing::TestWithParam<WorldKind> {};

TEST_P(Closure, LetsIslandsMoveAsTheyWouldAlone) {
  Counts counts;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    try_world(
        random_world(
            {.seed = seed, .movers_max = seed % 4 == 0 ? 60 : 24, .features = GetParam().features}),
        seed, counts);
    if (HasFatalFailure()) return;
  }
  if (seeds(kSeeds).size() < kSeeds) return;
  EXPECT_GT(counts.compared, 200'000U);
  EXPECT_GT(counts.left_out, 5'000U) << "everything hangs together: nothing is proven";
  EXPECT_GT(counts.islands, 500U) << "nobody meets anybody: nothing is proven";
  if (!GetParam().features.fixed) return;
  EXPECT_GT(counts.fixed, 1'000U) << "no island needs a fixed body";
  EXPECT_GT(counts.fixed_left_out, 2'000U) << "every fixed body is needed";
}

INSTANTIATE_TEST_SUITE_P(Worlds, Closure, world_kinds(),
                         [](const testing::TestParamInfo<WorldKind>& worlds) {
                           return std::string{worlds.param.name};
                         });

}  // namespace
}  // namespace tickbox::test
