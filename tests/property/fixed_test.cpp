// Fixed bodies are to movers what statics are, bit for bit. Adding and removing them between steps
// leaves nothing behind: a world made new from the same bodies moves alike.

#include "tests/property/any_stepper.h"
#include "tests/property/random_world.h"
#include "tests/property/world_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::test::fixed_test {
namespace {

using sim::Body;
using sim::PhysicsWorld;

/// A world with the movers of `like`, and with `immovables` as its statics and fixed bodies.
PhysicsWorld world_of(const PhysicsWorld& like, const std::vector<Body>& immovables) {
  const auto paths = like.statics().paths();
  std::vector<Body> statics;
  std::vector<Body> others{like.movers().begin(), like.movers().end()};
  for (const Body& body : immovables) {
    (body.kind == sim::Kind::Static ? statics : others).push_back(body);
  }
  PhysicsWorld world{like.settings(),
                     std::make_shared<const sim::Statics>(
                         std::move(statics), std::vector<sim::Path>{paths.begin(), paths.end()})};
  for (const Body& body : others) {
    world.add(body);
  }
  return world;
}

std::vector<Body> immovables_of(const PhysicsWorld& world) {
  std::vector<Body> all{world.statics().bodies().begin(), world.statics().bodies().end()};
  for (const Body& body : world.fixed().by_id()) {
    all.push_back(body);
  }
  return all;
}

/// The world without its fixed bodies, to compare the movers.
PhysicsWorld movers_of(const PhysicsWorld& world) {
  PhysicsWorld bare{world.settings(), world.shared_statics()};
  for (const Body& body : world.movers()) {
    bare.add(body);
  }
  return bare;
}

/// Each immovable body becomes static or fixed, by chance.
PhysicsWorld recast(const PhysicsWorld& world, Rng& rng) {
  std::vector<Body> immovables = immovables_of(world);
  for (Body& body : immovables) {
    body.kind = rng.chance(1, 2) ? sim::Kind::Fixed : sim::Kind::Static;
    body.velocity = {};
  }
  return world_of(world, immovables);
}

TEST(Fixed, MoveMoversAsStaticsDo) {
  constexpr int kTicks = 20;
  constexpr int kTicksBetweenDisturbances = 6;
  AnyStepper stepper;
  AnyStepper other_stepper;
  std::size_t contacts = 0;
  std::size_t overlaps = 0;
  std::size_t separated = 0;
  for (const std::uint64_t seed : seeds(1'500)) {
    const Features features{.fixed = false};
    PhysicsWorld world =
        random_world({.seed = seed, .movers_max = 40, .statics_max = 30, .features = features});
    Rng rng{seed};
    PhysicsWorld other = recast(world, rng);
    for (int tick = 1; tick <= kTicks; ++tick) {
      if (tick % kTicksBetweenDisturbances == 0) {
        Rng same = rng;
        disturb(other, same, features);
        disturb(world, rng, features);
      }
      // One stepper for both worlds, or one for each: what a world remembers of walls is its own.
      const bool alternates = seed % 2 == 0;
      const sim::StepReport report = stepper.step(world);
      const sim::StepReport& like = (alternates ? stepper : other_stepper).step(other);
      const std::string difference =
          first_difference(movers_of(world), movers_of(other)) + first_difference(report, like);
      ASSERT_TRUE(difference.empty()) << "seed " << seed << " tick " << tick
                                      << " (\"fast\" has statics, \"naive\" fixed bodies)\n"
                                      << difference << text_of(other);
      contacts += report.contacts.size();
      overlaps += report.begin.size();
      separated += report.separated.size();
    }
  }
  if (seeds(1'500).size() < 1'500) return;
  EXPECT_GT(contacts, 100'000U);
  EXPECT_GT(overlaps, 2'000U);
  EXPECT_GT(separated, 500U);
}

/// Takes fixed bodies out of a world, and puts them back some ticks later.
class Flicker {
 public:
  explicit Flicker(std::uint64_t seed) : rng_(seed) {}

  void change(PhysicsWorld& world) {
    if (rng_.chance(1, 3)) return;
    for (auto n = rng_.below(3); n > 0 && !world.fixed().empty(); --n) {
      const auto one = static_cast<std::ptrdiff_t>(rng_.below(world.fixed().size()));
      out_.push_back(world.fixed().by_id()[one]);
      world.remove(out_.back().id);
    }
    for (auto n = rng_.below(3); n > 0 && !out_.empty(); --n) {
      std::swap(out_[rng_.below(out_.size())], out_.back());
      if (rng_.chance(1, 4)) std::swap(out_.back().size.x, out_.back().size.y);
      world.add(out_.back());
      out_.pop_back();
    }
  }

 private:
  Rng rng_;
  std::vector<Body> out_;
};

// Movers are left alone, so that the neighbour cache and the memo of rests have much to remember.
// Two worlds begin as copies, and then lose and get different bodies. For every fourth seed one
// stepper steps both.
TEST(Fixed, AreAddedAndRemovedAsInAWorldMadeNew) {
  constexpr int kTicks = 40;
  AnyStepper alternating;
  for (const std::uint64_t seed : seeds(500)) {
    const PhysicsWorld start =
        random_world({.seed = seed, .movers_max = 30, .statics_max = 24, .features = Features{}});
    std::vector<PhysicsWorld> worlds(2, start);
    std::vector<Flicker> flickers = {Flicker{seed}, Flicker{seed + 1'000'000}};
    std::vector<AnyStepper> faithful(2);
    for (int tick = 1; tick <= kTicks; ++tick) {
      for (std::size_t i = 0; i < worlds.size(); ++i) {
        PhysicsWorld& world = worlds[i];
        flickers[i].change(world);
        PhysicsWorld made_new = world_of(world, immovables_of(world));
        ASSERT_EQ(state_hash(made_new), state_hash(world));
        AnyStepper fresh;
        const sim::StepReport& expected = fresh.step(made_new);
        const bool alternates = seed % 4 == 0;
        const sim::StepReport& report = (alternates ? alternating : faithful[i]).step(world);
        const std::string difference =
            first_difference(world, made_new) + first_difference(report, expected);
        ASSERT_TRUE(difference.empty() && state_hash(made_new) == state_hash(world))
            << "seed " << seed << " tick " << tick << " world " << i
            << " (\"fast\" went on, \"naive\" was made new)\n"
            << difference;
      }
    }
  }
}

}  // namespace
}  // namespace tickbox::test::fixed_test
