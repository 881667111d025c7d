#include "tests/simulator/plan.h"

#include "core/rng.h"

#include <iterator>

namespace tickbox::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kTickRates[] = {60, 60, 60, 30, 20, 10, 128, 240};
constexpr server::Sight kSights[] = {{24, 16}, {24, 16}, {8, 6}, {4, 4}, {100, 100}};
constexpr client::BotKind kBots[] = {client::BotKind::Mix, client::BotKind::Wander,
                                     client::BotKind::Chase, client::BotKind::Stress};
constexpr seconds kRecordingLengths[] = {seconds{7}, seconds{20}, seconds{60}};
constexpr seconds kRecordingLengthOfSoak{300};
/// A tick at 240 Hz costs what one at 60 does.
constexpr std::uint32_t kFastTickRate = 100;
constexpr std::size_t kFastClientsMax = 6;
constexpr std::uint32_t kAuditorsMax = 2;

template <class T, std::size_t N>
T any_of(Rng& rng, const T (&all)[N]) {
  return all[rng.below(N)];
}

std::uint32_t up_to(Rng& rng, std::uint32_t most) {
  return static_cast<std::uint32_t>(rng.below(std::uint64_t{most} + 1));
}

net::LinkConditions draw_link(Rng& rng, const Likelihoods& worst) {
  return {.delay = milliseconds{up_to(rng, worst.delay_ms)},
          .jitter = milliseconds{up_to(rng, worst.jitter_ms)},
          .loss_ppm = up_to(rng, worst.loss_ppm),
          .duplicate_ppm = up_to(rng, worst.duplicate_ppm),
          .reorder_ppm = up_to(rng, worst.reorder_ppm),
          .corrupt_ppm = up_to(rng, worst.corrupt_ppm),
          .truncate_ppm = up_to(rng, worst.truncate_ppm),
          .seed = rng.next()};
}

}  // namespace

Plan make_plan(const PlanOptions& options) {
  Rng rng{options.seed * kProfiles + static_cast<std::uint64_t>(options.profile)};
  const Likelihoods& worst = likelihoods_of(options.profile);
  Plan plan{.seed = options.seed,
            .profile = options.profile,
            .length = options.length,
            .plant = options.plant};
  plan.tick_rate = options.clients > 0 ? 60 : any_of(rng, kTickRates);
  plan.snapshot_rate = options.clients == 0 && rng.chance(1, 3) ? plan.tick_rate / 2 : 0;
  plan.sight = any_of(rng, kSights);
  plan.bot = any_of(rng, kBots);
  plan.recording_length = options.profile == Profile::Soak
                              ? Duration{kRecordingLengthOfSoak}
                              : Duration{any_of(rng, kRecordingLengths)};
  std::size_t players = 2 + rng.below(worst.clients_max - 1);
  if (plan.tick_rate > kFastTickRate) players = std::min(players, kFastClientsMax);
  if (options.clients > 0) players = options.clients;
  const std::uint32_t auditors =
      options.clients == 0 && rng.chance(1, 2) ? up_to(rng, kAuditorsMax) : 0;
  for (std::size_t i = 0; i < players + auditors; ++i) {
    const auto drift = static_cast<std::int32_t>(up_to(rng, 2 * worst.drift_ppm));
    plan.clients.push_back({.link = draw_link(rng, worst),
                            .drift_ppm = drift - static_cast<std::int32_t>(worst.drift_ppm),
                            .audits = i >= players});
  }
  // Bodies of who vanished keep their seats for half a minute.
  plan.seats = static_cast<std::uint32_t>(4 * plan.clients.size() + 16);
  return plan;
}

}  // namespace tickbox::simulator
