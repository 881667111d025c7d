#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <chrono>

namespace tickbox::tests {
namespace {

constexpr std::uint32_t kTickRate = 240;
/// 65,536 packets, one a tick, and those of ten more seconds.
constexpr std::chrono::seconds kLength{65'536 / kTickRate + 10};
constexpr net::LinkConditions kLink{.delay = std::chrono::milliseconds{5}, .loss_ppm = 10'000};

}  // namespace

void play_epochs(std::FILE* out) {
  Capture capture{out,
                  {.seed = 13,
                   .tick_rate = kTickRate,
                   .max_clients = 1,
                   .link = kLink,
                   .bot = "stress",  // news in every tick
                   .keys = make_ring()}};
  const std::size_t client = capture.add_client();
  capture.harness().run_for(kLength);
  capture.harness().leave(client);
  capture.harness().run_for(std::chrono::seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
