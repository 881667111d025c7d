#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <chrono>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kSeats = 4;
constexpr net::LinkConditions kBadLink{.delay = milliseconds{30},
                                       .jitter = milliseconds{10},
                                       .loss_ppm = 50'000,
                                       .duplicate_ppm = 10'000,
                                       .reorder_ppm = 10'000,
                                       .corrupt_ppm = 5'000,
                                       .truncate_ppm = 5'000};
constexpr std::uint64_t kRingSeed = 7;

net::Address elsewhere(std::uint16_t port) {
  net::Address address = SimulatedNetwork::server_address();
  address.port = port;
  return address;
}

}  // namespace

net::KeyRing make_ring() {
  SeededEntropy entropy{kRingSeed};
  net::KeyRing ring = net::KeyRing::fresh(entropy);
  (void)ring.rotate(entropy);
  return ring;
}

void play_match(std::FILE* out) {
  Capture capture{out, {.seed = 11, .max_clients = kSeats, .link = kBadLink, .keys = make_ring()}};
  Harness& harness = capture.harness();
  const std::size_t mover = capture.add_client();
  const std::size_t killed = capture.add_client();
  const std::size_t silenced = capture.add_client();
  harness.run_for(seconds{3});

  // The client comes back while its old session still lives, and takes it over.
  harness.restart_with_ticket(killed);
  harness.run_for(seconds{2});
  harness.network().move_client(mover, elsewhere(40'000));
  // On a good link all copies of its goodbye arrive.
  const std::size_t leaver = harness.add_client({}, capture.hand_out(capture.claims()));
  harness.run_for(seconds{2});
  capture.add_client();  // finds the server full
  harness.run_for(seconds{2});

  // This client times out. Its ticket comes back from another address, and finds its body.
  harness.silence(silenced);
  harness.leave(leaver);
  harness.run_for(seconds{7});
  const std::size_t back = capture.add_client();
  harness.restart_client(back, {.server = SimulatedNetwork::server_address(),
                                .ticket = harness.client(silenced).connection().ticket()});
  harness.run_for(seconds{2});
  capture.add_client();
  harness.run_for(seconds{1});
  harness.network().move_client(mover, elsewhere(40'001));
  harness.run_for(seconds{2});

  harness.shard().drain(harness.now() + seconds{5});
  harness.run_for(milliseconds{1'500});
  capture.stop();
  harness.run_for(seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
