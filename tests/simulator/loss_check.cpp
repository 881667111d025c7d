#include "tests/simulator/loss_check.h"

#include <fmt/format.h>

#include <cmath>

namespace tickbox::simulator {
namespace {

/// Standard deviations of a binomial distribution, so that in a million runs no link of hundreds
/// comes to lie outside.
constexpr double kDeviations = 7;
/// Beyond them: the distribution is not normal where next to nothing is lost.
constexpr double kSpare = 8;

}  // namespace

void check_loss(const tests::SimulatedNetwork& network, const Plan& plan, Findings& findings) {
  for (std::size_t i = 0; i < plan.clients.size(); ++i) {
    const double share = plan.clients[i].link.loss_ppm / 1e6;
    for (const net::LinkCounts& counts : {network.up(i), network.down(i)}) {
      const auto sent = static_cast<double>(counts.in);
      const auto lost = static_cast<double>(counts.lost);
      const double expected = sent * share;
      const double most_off = kDeviations * std::sqrt(expected * (1 - share)) + kSpare;
      if (std::abs(lost - expected) <= most_off) continue;
      findings.add(
          "loss",
          fmt::format("{:.0f} of {} lost, give or take {:.0f}", expected, counts.in, most_off),
          fmt::format("{}, of client {}", counts.lost, i));
    }
  }
}

}  // namespace tickbox::simulator
