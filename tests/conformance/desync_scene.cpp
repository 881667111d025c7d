#include "games/arena/arena.h"
#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"
#include "tests/support/changed_game.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Enough that some views make two parts.
constexpr std::uint32_t kDesyncSeats = 160;
constexpr net::LinkConditions kDesyncLink{.delay = milliseconds{30}, .jitter = milliseconds{6}};

/// Returns the client with the most bodies around its own.
std::size_t most_crowded(const Harness& harness) {
  const engine::World& world = harness.world();
  const auto bodies_around = [&](std::size_t client) {
    const std::size_t own = world.index_of(harness.body_of(client));
    std::size_t count = 0;
    for (std::size_t row = 0; own != world.size() && row < world.size(); ++row) {
      const Vec2 at = world.body(row).min;
      const Vec2 centre = world.body(own).min;
      count += std::abs(std::int64_t{at.x} - centre.x) <= std::int64_t{24} * kUnit &&
                       std::abs(std::int64_t{at.y} - centre.y) <= std::int64_t{16} * kUnit
                   ? 1U
                   : 0U;
    }
    return count;
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < harness.players().size(); ++i) {
    if (bodies_around(i) > bodies_around(best)) best = i;
  }
  return best;
}

}  // namespace

void play_desync(std::FILE* out) {
  Tick wrong;
  BodyId body;
  std::size_t flipped = 0;  // the client whose view flips
  std::deque<ChangedGame> games;
  for (std::size_t client = 0; client < kDesyncSeats; ++client) {
    games.emplace_back(games::arena(), Changes{.after = [&, client](const MidTick& tick) {
                         const bool is_wrong = tick.tick() == wrong && client == flipped;
                         if (is_wrong && tick.world().size() > 1) tick.flip(body, "vx", 0);
                       }});
  }
  Capture capture{out,
                  {.seed = 21,
                   .max_clients = kDesyncSeats,
                   .link = kDesyncLink,
                   .bot = "chase",
                   .keys = make_ring(),
                   .client_game = [&](std::size_t client) { return &games[client]; }}};
  Harness& harness = capture.harness();
  for (std::uint32_t i = 0; i < kDesyncSeats; ++i) {
    capture.add_client();
    harness.run_for(std::chrono::milliseconds{1});  // 1,000 key agreements a second
  }
  harness.run_for(milliseconds{700});  // players spawn close together
  const auto flip_soon = [&](std::size_t client) {
    flipped = client;
    body = harness.body_of(client);
    wrong = harness.world().tick + 3;
  };
  const std::size_t crowded = most_crowded(harness);
  flip_soon(crowded);
  harness.run_for(milliseconds{500});
  flip_soon(crowded == 0 ? 1 : 0);
  harness.run_for(milliseconds{1'000});
  capture.stop();
  harness.run_for(seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
