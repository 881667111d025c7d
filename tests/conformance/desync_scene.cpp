#include "tests/conformance/scenes.h"
#include "tests/support/flipped_arena.h"

#include <chrono>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// So many that some views make two parts.
constexpr std::uint32_t kSeats = 80;
constexpr net::LinkConditions kLink{.delay = milliseconds{30}, .jitter = milliseconds{6}};

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
                   .keys = make_ring(),
                   .client_rules = rules_of}};
  Harness& harness = capture.harness();
  for (std::uint32_t i = 0; i < kSeats; ++i) {
    capture.add_client();
  }
  harness.run_for(seconds{2});
  const auto flip_soon = [&](std::size_t from, std::size_t to, std::size_t whose) {
    first = from;
    last = to;
    body = harness.client(whose).connection().accept().body;
    wrong = harness.room().world().tick + 3;
  };
  flip_soon(0, 0, 0);
  harness.run_for(milliseconds{500});
  flip_soon(1, 1, 1);
  harness.run_for(milliseconds{1'000});
  capture.stop();
  harness.run_for(seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
