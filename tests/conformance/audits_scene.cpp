#include "tests/conformance/scenes.h"
#include "tests/conformance/stranger.h"

#include <chrono>

namespace tickbox::tests {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kSeats = 12;
/// Slow, so that a link may be down for longer than an auditor may be behind, and no input is given
/// up meanwhile.
constexpr std::uint32_t kTickRate = 20;
constexpr net::LinkConditions kBadLink{.delay = std::chrono::milliseconds{30},
                                       .jitter = std::chrono::milliseconds{10},
                                       .loss_ppm = 50'000,
                                       .duplicate_ppm = 10'000,
                                       .reorder_ppm = 10'000,
                                       .corrupt_ppm = 5'000,
                                       .truncate_ppm = 5'000};

std::size_t add_auditor(Capture& capture, std::uint8_t rights) {
  net::TokenClaims claims = capture.claims();
  claims.rights = rights;
  return capture.harness().add_client(kBadLink, capture.hand_out(claims), net::ConnectMode::Audit);
}

}  // namespace

void play_audits(std::FILE* out) {
  Capture capture{out,
                  {.seed = 13,
                   .tick_rate = kTickRate,
                   .max_clients = kSeats,
                   .link = kBadLink,
                   .keys = make_ring()}};
  Harness& harness = capture.harness();
  const std::size_t leaver = capture.add_client();
  capture.add_client();
  const std::size_t cut_off = add_auditor(capture, net::kRightToAudit);
  const std::size_t killed = add_auditor(capture, net::kRightToAudit);
  harness.run_for(seconds{2});
  add_auditor(capture, 0);  // may not
  capture.add_client();
  add_auditor(capture, net::kRightToAudit);
  add_auditor(capture, net::kRightToAudit);
  harness.run_for(seconds{2});
  add_auditor(capture, net::kRightToAudit);  // one too many
  harness.leave(leaver);
  harness.network().cut(cut_off);
  harness.run_for(std::chrono::milliseconds{2'600});
  capture.add_client();
  harness.network().mend(cut_off);
  harness.restart_with_ticket(killed);
  harness.run_for(seconds{3});
  capture.stop();
  harness.run_for(seconds{1});
  capture.finish();
}

}  // namespace tickbox::tests
