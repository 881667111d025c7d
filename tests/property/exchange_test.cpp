// I6: one contact between two bodies. After it they do not approach, and separate no faster than
// their restitution allows. Friction only slows the slip. Momentum is kept except for one rounding.

#include "core/rng.h"
#include "tests/property/any_stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tickbox::test {
namespace {

using i64 = std::int64_t;
using sim::Body;

/// So slow that no response reaches the speed limit: the lighter body leaves with at most three
/// times the speed.
constexpr std::int32_t kFastest = kSpeedLimit / 4;

std::int32_t draw(Rng& rng, std::int64_t low, std::int64_t high) {
  return static_cast<std::int32_t>(
      low + static_cast<i64>(rng.below(static_cast<std::uint64_t>(high - low + 1))));
}

struct Pair {
  Body low;
  Body high;
  std::size_t axis;

  [[nodiscard]] i64 approach() const { return i64{low.velocity[axis]} - high.velocity[axis]; }

  [[nodiscard]] i64 slip() const { return i64{low.velocity[1 - axis]} - high.velocity[1 - axis]; }

  [[nodiscard]] i64 momentum(std::size_t k) const {
    return i64{low.mass} * low.velocity[k] + i64{high.mass} * high.velocity[k];
  }
};

Body draw_body(Rng& rng, std::uint32_t id) {
  Body body{.id = {id}, .size = {4 * kUnit, 4 * kUnit}};
  body.mass =
      static_cast<std::uint16_t>(rng.chance(1, 3) ? 1 + rng.below(3) : 1 + rng.below(65'535));
  body.friction = static_cast<std::uint8_t>(rng.chance(1, 2) ? 0 : rng.below(256));
  if (rng.chance(2, 3)) {
    body.response = sim::Response::Bounce;
    body.restitution = static_cast<std::uint16_t>(rng.below(257));
  }
  return body;
}

/// Two bodies that face each other, one unit apart. If they come together in the tick, they meet
/// face to face.
Pair draw_pair(Rng& rng) {
  const std::uint32_t low_id = rng.chance(1, 2) ? 1 : 3;
  Pair pair{draw_body(rng, low_id), draw_body(rng, 2), rng.below(2)};
  pair.high.min[pair.axis] = pair.low.size[pair.axis] + kUnit;
  const std::int32_t fastest = rng.chance(1, 2) ? kFastest : 8 * kUnit;
  for (Body* body : {&pair.low, &pair.high}) {
    body->velocity[pair.axis] = draw(rng, -fastest, fastest);
    body->velocity[1 - pair.axis] = draw(rng, -kUnit, kUnit);
  }
  return pair;
}

TEST(Exchange, PartsNoFasterThanRestitutionAllowsAndKeepsMomentum) {
  AnyStepper stepper;
  int contacts = 0;
  for (const std::uint64_t seed : seeds(40'000)) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng{seed};
    const Pair before = draw_pair(rng);
    sim::PhysicsWorld world{{}, std::make_shared<const sim::Statics>(std::vector<Body>{})};
    world.add(before.low);
    world.add(before.high);
    const sim::StepReport& report = stepper.step(world);
    const Pair after{*world.find(before.low.id), *world.find(before.high.id), before.axis};
    if (report.contacts.empty()) {
      ASSERT_EQ(after.momentum(0), before.momentum(0));
      continue;
    }
    if (report.contacts.size() > 1) continue;  // a second side, by friction
    ++contacts;

    const auto e_of = [](const Body& body) {
      return body.response == sim::Response::Bounce ? i64{body.restitution} : 0;
    };
    const i64 e = std::max(e_of(before.low), e_of(before.high));
    const i64 mass = i64{before.low.mass} + before.high.mass;
    const i64 parting = -after.approach();
    ASSERT_GE(parting, 0) << "they still run at each other";
    ASSERT_LE(parting * sim::kFullRestitution, before.approach() * e) << "they gained speed";
    ASSERT_LT(std::abs(after.momentum(before.axis) - before.momentum(before.axis)), mass);

    const std::size_t across = 1 - before.axis;
    const i64 friction = std::max(before.low.friction, before.high.friction);
    const i64 change = before.approach() - after.approach();
    const i64 braked = std::abs(before.slip()) - std::abs(after.slip());
    ASSERT_GE(braked, 0) << "friction speeds nobody up";
    ASSERT_LE(braked * sim::kFrictionWhole, change * friction + sim::kFrictionWhole);
    ASSERT_GE(before.slip() * after.slip(), 0) << "friction turns nobody round";
    ASSERT_LE(std::abs(after.momentum(across) - before.momentum(across)), mass);
  }
  EXPECT_GT(contacts, 1'000);
}

// Gravity would make a body at rest bounce without end. Up to twice the gravity, nothing bounces.
TEST(Exchange, DoesNotBounceAtSpeedsThatGravityMakes) {
  AnyStepper stepper;
  constexpr std::int32_t kGravity = 546;
  for (std::int32_t speed = 0; speed <= 4 * kGravity; speed += 13) {
    const Body floor{.id = {1}, .kind = sim::Kind::Static, .min = {0, 0}, .size = {kUnit, kUnit}};
    sim::PhysicsWorld world{{.gravity = {0, kGravity}},
                            std::make_shared<const sim::Statics>(std::vector<Body>{floor})};
    world.add({.id = {2},
               .response = sim::Response::Bounce,
               .min = {0, -kUnit},
               .size = {kUnit, kUnit},
               .velocity = {0, speed},
               .restitution = sim::kFullRestitution});
    stepper.step(world);
    const std::int32_t after = world.find({2})->velocity.y;
    const std::int32_t hit_at = speed + kGravity;
    EXPECT_EQ(after, hit_at <= 2 * kGravity ? 0 : -hit_at) << speed;
  }
}

}  // namespace
}  // namespace tickbox::test
