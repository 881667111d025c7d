#include "tests/simulator/plan.h"

#include "core/rng.h"
#include "engine/identity.h"
#include "games/arena/arena.h"
#include "games/catalog.h"
#include "tests/support/menagerie.h"
#include "tests/support/short_match.h"
#include "tests/support/sights.h"

#include <iterator>
#include <vector>

namespace tickbox::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kTickRates[] = {60, 60, 60, 30, 20, 10, 128, 240};
constexpr SightHook kSights[] = {nullptr, nullptr, &tests::sight_of<8, 6>, &tests::sight_of<4, 4>,
                                 &tests::sight_of<100, 100>};
/// Less than any client is sent, even at rest.
constexpr server::Rate kOverspentBudget{.per_second = 300, .burst = 100};
/// The production budget, one that a crowd reaches, and one that is too small for all.
constexpr server::Rate kSnapshotBudgets[] = {server::kSnapshotBytes,
                                             {.per_second = 12'000, .burst = 4'000},
                                             {.per_second = 3'000, .burst = 1'500}};
/// The styles of bots. The third stands for the game's own.
constexpr const char* kBots[] = {"mix", "wander", "", "stress"};
constexpr seconds kRecordingLengths[] = {seconds{7}, seconds{20}, seconds{60}};
constexpr std::uint64_t kRecordingSizes[] = {8'192, 32'768, 65'536};
constexpr std::size_t kDiskQueues[] = {2'048, 8'192, 32'768};
constexpr seconds kLongRecording{300};
/// Above this tick rate a plan has at most kFastClientsMax players: a second has more ticks, and
/// each costs as much as at 60 Hz.
constexpr std::uint32_t kFastTickRate = 100;
constexpr std::size_t kFastClientsMax = 6;
constexpr std::uint64_t kPercent = 100;

/// Intervals of loops: one that sleeps until it is woken (twice as likely), a screen's, a phone's
/// that saves power, a test's.
constexpr milliseconds kTurns[] = {milliseconds{0}, milliseconds{0}, milliseconds{16},
                                   milliseconds{33}, milliseconds{7}};

template <class T, std::size_t N>
T any_of(Rng& rng, const T (&all)[N]) {
  return all[rng.below(N)];
}

std::uint32_t up_to(Rng& rng, std::uint32_t most) {
  return static_cast<std::uint32_t>(rng.below(std::uint64_t{most} + 1));
}

net::LinkConditions draw_link(Rng& rng, const Likelihoods& worst) {
  const std::uint32_t times = rng.chance(worst.extreme_percent, kPercent) ? 3 : 1;
  return {.delay = milliseconds{up_to(rng, times * worst.delay_ms)},
          .jitter = milliseconds{up_to(rng, times * worst.jitter_ms)},
          .loss_ppm = up_to(rng, worst.loss_ppm),
          .duplicate_ppm = up_to(rng, worst.duplicate_ppm),
          .reorder_ppm = up_to(rng, worst.reorder_ppm),
          .corrupt_ppm = up_to(rng, worst.corrupt_ppm),
          .truncate_ppm = up_to(rng, worst.truncate_ppm),
          .seed = rng.next()};
}

void draw_recording(Rng& rng, Plan& plan) {
  plan.disk_queue_bytes = any_of(rng, kDiskQueues);
  if (plan.profile == Profile::Soak || plan.is_bench) {
    plan.rotate_ticks = static_cast<std::uint32_t>(kLongRecording.count()) * plan.tick_rate;
  } else if (rng.chance(1, 3)) {
    plan.rotate_bytes = any_of(rng, kRecordingSizes);
  } else {
    plan.rotate_ticks =
        static_cast<std::uint32_t>(any_of(rng, kRecordingLengths).count()) * plan.tick_rate;
  }
}

std::string draw_bot(Rng& rng, const GameTable& game) {
  std::string style = any_of(rng, kBots);
  if (!style.empty()) return style;
  return game.bot.styles.empty() ? "mix" : std::string{game.bot.styles.front()};
}

}  // namespace

std::expected<const GameTable*, std::string> parse_game(std::string_view text) {
  const auto played = games::all_games();
  std::vector<const GameTable*> games{played.begin(), played.end()};
  games.push_back(&tests::menagerie());
  games.push_back(&tests::short_match());
  const GameTable* game = engine::find_game(games, text);
  if (game != nullptr) return game;
  return std::unexpected{"'" + std::string{text} + "' is no game; there are " +
                         engine::names_of(games)};
}

Plan make_plan(const PlanOptions& options) {
  Rng rng{options.seed * kProfiles + static_cast<std::uint64_t>(options.profile)};
  const Likelihoods& worst = likelihoods_of(options.profile);
  Plan plan{.game = options.game != nullptr ? options.game : &games::arena(),
            .seed = options.seed,
            .profile = options.profile,
            .length = options.length,
            .plant = options.plant,
            .is_bench = options.is_bench};
  const std::size_t maps = plan.game->maps.size();
  if (maps > 0) plan.map = plan.game->maps[options.seed % maps];
  plan.tick_rate = options.is_bench ? 60 : any_of(rng, kTickRates);
  plan.snapshot_rate = !options.is_bench && rng.chance(1, 3) ? plan.tick_rate / 2 : 0;
  if (!options.is_bench) plan.sight = any_of(rng, kSights);
  if (!options.is_bench) plan.bot = draw_bot(rng, *plan.game);
  draw_recording(rng, plan);
  std::size_t players = 2 + rng.below(worst.clients_max - 1);
  if (plan.tick_rate > kFastTickRate) players = std::min(players, kFastClientsMax);
  if (options.is_bench) players = kBenchClients;
  for (std::size_t i = 0; i < players; ++i) {
    const auto drift = static_cast<std::int32_t>(up_to(rng, 2 * worst.drift_ppm));
    plan.clients.push_back({.link = draw_link(rng, worst),
                            .drift_ppm = drift - static_cast<std::int32_t>(worst.drift_ppm),
                            .turn = options.is_bench ? milliseconds{0} : any_of(rng, kTurns),
                            .watches = !options.is_bench && rng.chance(1, 3)});
  }
  // Vanished players keep their seats for half a minute.
  plan.seats = static_cast<std::uint32_t>(4 * plan.clients.size() + 16);
  plan.is_crowded = rng.chance(worst.extreme_percent, kPercent);
  if (plan.is_crowded) plan.seats = static_cast<std::uint32_t>(plan.clients.size());
  if (!options.is_bench) plan.snapshot_bytes = any_of(rng, kSnapshotBudgets);
  if (plan.plant == Plant::Overspending) plan.snapshot_bytes = kOverspentBudget;
  return plan;
}

}  // namespace tickbox::simulator
