#include "tests/conformance/scenes.h"
#include "tests/support/flipped_arena.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Enough that some views make two parts.
constexpr std::uint32_t kSeats = 80;
constexpr net::LinkConditions kLink{.delay = milliseconds{30}, .jitter = milliseconds{6}};

/// The client around whose body there are the most.
std::size_t most_crowded(const Harness& harness) {
  const auto bodies_around = [&](const client::Client& client) {
    const auto entities = harness.room().entities();
    const auto own =
        std::ranges::find(entities, client.connection().accept().body, &game::EntityState::id);
    if (own == entities.end()) return std::ptrdiff_t{0};
    return std::ranges::count_if(entities, [&](const game::EntityState& entity) {
      return std::abs(std::int64_t{entity.min.x} - own->min.x) <= 24 * kUnit &&
             std::abs(std::int64_t{entity.min.y} - own->min.y) <= 16 * kUnit;
    });
  };
  std::size_t best = 0;
  for (std::size_t i = 1; i < harness.players().size(); ++i) {
    if (bodies_around(harness.client(i)) > bodies_around(harness.client(best))) best = i;
  }
  return best;
}

}  // namespace

void play_desync(std::FILE* out) {
  Tick wrong;
  BodyId body;
  std::size_t first = 0;  // of the clients whose view flips
  std::size_t last = 0;
  const auto rules_of = [&](std::size_t client) {
    return std::make_shared<FlippedArena>(60, [&, client](game::World& world) {
      if (world.tick != wrong || client < first || client > last || world.size() == 1) return;
      flip(world, body, "vx", 0);
    });
  };
  Capture capture{out,
                  {.seed = 21,
                   .max_clients = kSeats,
                   .link = kLink,
                   .bot = game::BotKind::Chase,
                   .keys = make_ring(),
                   .client_rules = rules_of}};
  Harness& harness = capture.harness();
  for (std::uint32_t i = 0; i < kSeats; ++i) {
    capture.add_client();
    harness.run_for(std::chrono::milliseconds{1});  // 1,000 key agreements a second
  }
  harness.run_for(seconds{5});
  const auto flip_soon = [&](std::size_t from, std::size_t to, std::size_t whose) {
    first = from;
    last = to;
    body = harness.client(whose).connection().accept().body;
    wrong = harness.room().world().tick + 3;
  };
  flip_soon(0, 0, 0);
  harness.run_for(milliseconds{500});
  const std::size_t crowded = most_crowded(harness);
  flip_soon(crowded, crowded, crowded);
  harness.run_for(milliseconds{1'000});
  capture.stop();
  harness.run_for(seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
