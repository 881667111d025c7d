// Whether rays strike whom their players aimed at, over links that show the others late.

#include "server/match/ray_judge.h"
#include "tests/simulation/stepped_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 16;
/// Of a mix of bots, every fourth from the second on chases and aims at whom it sees.
constexpr std::size_t kFirstChaser = 1;

struct Rays {
  std::size_t fired = 0;   ///< by chasers
  std::size_t struck = 0;  ///< of them, whom they strike as judged
  std::size_t gained = 0;  ///< of those, whom they would not strike where the others are now
  std::size_t lost = 0;    ///< whom they would strike now, and do not

  void add(const Rays& other) {
    fired += other.fired;
    struck += other.struck;
    gained += other.gained;
    lost += other.lost;
  }
};

/// What the recorded rays struck, and what they would have struck without looking back.
Rays rays_of(const Harness& harness, std::uint64_t seed) {
  std::set<std::uint16_t> chasers;
  for (std::size_t i = kFirstChaser; i < kClients; i += 4) {
    chasers.insert(harness.client(i).connection().accept().player.value);
  }
  Rays rays;
  match::RayJudge judge{60};
  const std::vector<std::uint8_t> no_look_back(harness.world().seats().size());
  step_again(harness, seed,
             {.on_rays = [&](const match::Match& match, const engine::LoggedTick& tick,
                             std::span<const engine::FiredRay> fired) {
               std::vector<engine::Strike> blind;
               judge.judge(match, no_look_back, fired, blind);
               for (const engine::FiredRay& ray : fired) {
                 if (!chasers.contains(ray.shooter.seat)) continue;
                 const auto strikes = [&](const std::vector<engine::Strike>& all) {
                   return std::ranges::find(all, ray.shooter, &engine::Strike::shooter) !=
                          all.end();
                 };
                 const bool is_struck = strikes(tick.record.strikes);
                 const bool is_struck_blind = strikes(blind);
                 ++rays.fired;
                 rays.struck += is_struck ? 1U : 0U;
                 rays.gained += is_struck && !is_struck_blind ? 1U : 0U;
                 rays.lost += is_struck_blind && !is_struck ? 1U : 0U;
               }
             }});
  return rays;
}

Rays play(milliseconds delay, std::uint64_t seed) {
  Harness harness{{.seed = seed,
                   .max_clients = kClients,
                   .link = {.delay = delay, .jitter = milliseconds{5}, .loss_ppm = 20'000},
                   .bot = "mix"}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{60});
  harness.stop();
  return rays_of(harness, seed);
}

// Of those that strike nobody, most are aimed at somebody too far away, or behind a wall. Looking
// back gains a tenth of the rays at 75 ms and a seventh at 110 ms (24 seeds), in one match from a
// twentieth to a quarter. So three matches are judged together.
TEST(LagCompensation, StrikesWhomTheShooterSaw) {
  for (const int delay : {10, 75, 110}) {
    Rays rays;
    for (const std::uint64_t seed : {5U, 6U, 7U}) {
      rays.add(play(milliseconds{delay}, seed));
    }
    SCOPED_TRACE(testing::Message() << delay << " ms: " << rays.fired << " fired, " << rays.struck
                                    << " struck; by looking back " << rays.gained << " gained, "
                                    << rays.lost << " lost");
    ASSERT_GT(rays.fired, 150U);
    EXPECT_GT(rays.struck * 2, rays.fired);
    if (delay >= 75) {
      EXPECT_GT(rays.gained, 8 * rays.lost) << "it makes no difference";
      EXPECT_GT(rays.gained * 20, rays.fired);
    }
  }
}

}  // namespace
}  // namespace tickbox::tests
