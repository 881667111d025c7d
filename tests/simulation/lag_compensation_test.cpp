// Whether rays strike whom their players aimed at, over links that show the others late.

#include "server/room/lag_compensation.h"

#include "tests/simulation/stepped_match.h"

#include <gtest/gtest.h>

#include <algorithm>
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

/// The same judge over the recorded inputs comes to the recorded strikes; and what it would come to
/// without looking back.
Rays rays_of(const Harness& harness, std::uint64_t seed) {
  std::vector<PlayerId> chasers;
  for (std::size_t i = kFirstChaser; i < kClients; i += 4) {
    chasers.push_back(harness.client(i).connection().accept().player);
  }
  const auto is_chaser = [&chasers](PlayerId player) {
    return std::ranges::find(chasers, player) != chasers.end();
  };
  Rays rays;
  server::LagCompensation judge{60};
  step_again(harness, seed,
             [&](const server::Room& room, const record::RecordedTick& tick, bool before) {
               if (!before) {
                 rays.fired += static_cast<std::size_t>(
                     std::ranges::count_if(room.events().shots, [&](const game::Shot& shot) {
                       return shot.weapon == game::Weapon::Ray && is_chaser(shot.player);
                     }));
                 return;
               }
               const auto again = judge.judge(room, tick.inputs);
               EXPECT_TRUE(std::ranges::equal(again, tick.strikes)) << tick.tick.value;
               std::vector<PlayerId> struck;
               for (const game::Strike& strike : again) {
                 if (is_chaser(strike.shooter)) struck.push_back(strike.shooter);
               }
               rays.struck += struck.size();
               std::vector<game::PlayerInput> blind = tick.inputs;
               for (game::PlayerInput& given : blind) {
                 given.input.look_back = 0;
               }
               std::size_t both = 0;
               for (const game::Strike& strike : judge.judge(room, blind)) {
                 if (!is_chaser(strike.shooter)) continue;
                 const bool is_struck = std::ranges::find(struck, strike.shooter) != struck.end();
                 ++(is_struck ? both : rays.lost);
               }
               rays.gained += struck.size() - both;
             });
  return rays;
}

Rays play(milliseconds delay, std::uint64_t seed) {
  Harness harness{{.seed = seed,
                   .max_clients = kClients,
                   .link = {.delay = delay, .jitter = milliseconds{5}, .loss_ppm = 20'000},
                   .bot = game::BotKind::Mix}};
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
