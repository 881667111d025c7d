#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <chrono>

namespace tickbox::tests {
namespace {

constexpr std::uint32_t kCrowdSeats = 112;
/// Enough that the bodies near one client do not fit one snapshot.
constexpr int kClients = 108;
constexpr net::LinkConditions kLink{.delay = std::chrono::milliseconds{20}, .loss_ppm = 20'000};

}  // namespace

void play_crowd(std::FILE* out) {
  Capture capture{
      out,
      {.seed = 12, .max_clients = kCrowdSeats, .link = kLink, .bot = "chase", .keys = make_ring()}};
  for (int i = 0; i < kClients; ++i) {
    capture.add_client();
    capture.harness().run_for(std::chrono::milliseconds{1});  // 1,000 key agreements a second
  }
  capture.harness().run_for(std::chrono::seconds{2});
  capture.stop();
  capture.harness().run_for(std::chrono::milliseconds{200});
  capture.finish();
}

}  // namespace tickbox::tests
