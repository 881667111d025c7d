#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <chrono>

namespace tickbox::tests {
namespace {

constexpr std::uint32_t kTickRate = 240;
/// 65,536 packets, one a tick, and those of ten more seconds.
constexpr std::chrono::seconds kLength{65'536 / kTickRate + 10};
constexpr net::LinkConditions kEpochsLink{.delay = std::chrono::milliseconds{5},
                                          .loss_ppm = 10'000};

/// Returns the first client after its time.
std::size_t play_long(Capture& capture) {
  const std::size_t client = capture.add_client();
  capture.harness().run_for(kLength);
  return client;
}

void end(Capture& capture, std::size_t client) {
  capture.harness().leave(client);
  capture.harness().run_for(std::chrono::seconds{1});
  capture.finish();
}

HarnessOptions options(net::Cipher cipher) {
  return {.seed = 13,
          .tick_rate = kTickRate,
          .max_clients = 1,
          .link = kEpochsLink,
          .server_cipher = cipher,
          .client_cipher = cipher,
          .bot = "stress",  // news in every tick
          .keys = make_ring()};
}

}  // namespace

void play_epochs(std::FILE* out) {
  Capture capture{out, options(net::Cipher::ChaCha20Poly1305)};
  end(capture, play_long(capture));
}

void play_aes(std::FILE* out) {
  if (!net::crypto_ready() || net::best_cipher() != net::Cipher::Aes256Gcm) {
    std::fputs("no AES\n", stderr);
    return;
  }
  Capture capture{out, options(net::Cipher::Aes256Gcm)};
  const std::size_t client = play_long(capture);
  capture.harness().restart_with_ticket(client);
  capture.harness().run_for(std::chrono::seconds{2});
  end(capture, client);
}

}  // namespace tickbox::tests
