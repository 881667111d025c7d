// The bot of the platformer over a bad network: it reaches the goal of each map, and its client
// predicts its own hero, also on lifts.

#include "games/platformer/platformer.h"
#include "tests/support/declared_values.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kSeeds = 4;

const net::LinkConditions kBadLink{
    .delay = milliseconds{100}, .jitter = milliseconds{20}, .loss_ppm = 50'000};

/// How many predictions of the own hero were compared with the room, and how many were equal.
struct Predictions {
  std::uint64_t compared = 0;
  std::uint64_t exact = 0;

  void add(bool is_exact) {
    ++compared;
    exact += is_exact ? 1U : 0U;
  }

  void add(const Predictions& other) {
    compared += other.compared;
    exact += other.exact;
  }

  [[nodiscard]] double percent() const {
    return 100.0 * static_cast<double>(exact) / static_cast<double>(compared);
  }
};

/// A match of one bot. Each prediction of its hero is kept as the client made it first, and
/// compared with the room when the room reaches that tick.
class RaceMatch : public Harness {
 public:
  RaceMatch(std::string_view map, std::uint64_t seed)
      : Harness({.seed = seed,
                 .player = [this](std::size_t) { return watched_bot(); },
                 .game = &games::platformer(),
                 .map = map}) {
    add_client(kBadLink);
  }

  Predictions all;
  Predictions riding;  ///< of a hero that a lift carries

  [[nodiscard]] std::int64_t finished() const {
    return field_value(games::platformer().seat, world().seat_state({0}), "finished");
  }

 protected:
  void tick() override {
    Harness::tick();
    const std::size_t hero = world().avatar_of({0});
    const auto predicted = predicted_.find(world().tick);
    if (hero == world().size() || predicted == predicted_.end()) return;
    const sim::Body& body = world().body(hero);
    const bool is_exact = predicted->second.id == body.id && predicted->second.min == body.min;
    all.add(is_exact);
    if (body.carrier != sim::kNoBody) riding.add(is_exact);
  }

 private:
  struct Predicted {
    BodyId id;
    Vec2 min;
  };

  client::MakePlayer watched_bot() {
    return [this](const engine::GameOnMap& assets) -> std::expected<client::Decide, std::string> {
      auto bot = client::bot_player("race", 0, options_.seed)(assets);
      if (!bot) return std::unexpected{bot.error()};
      return [this, decide = *bot](const bots::Seen& seen) {
        if (seen.own.size() > 0) {
          const views::RowHead& head = seen.own.head(0);
          predicted_[{seen.tick.value - 1}] = {.id = head.id, .min = head.min};
        }
        return decide(seen);
      };
    };
  }

  std::map<Tick, Predicted> predicted_;
};

TEST(Race, OverABadNetworkReachesEachGoalAndPredictsItsHero) {
  for (const std::string_view map : games::platformer().maps) {
    Predictions all;
    Predictions riding;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      RaceMatch race{map, seed};
      race.run_for(seconds{120});
      const client::ClientStats stats = race.client(0).stats();
      EXPECT_GE(race.finished(), 1) << map << " seed " << seed;
      EXPECT_GT(race.riding.compared, 60U) << map << " seed " << seed;
      EXPECT_GT(stats.hashes_checked, 1'000U) << map << " seed " << seed;
      EXPECT_EQ(stats.hashes_mismatched, 0U) << map << " seed " << seed;
      all.add(race.all);
      riding.add(race.riding);
    }
    EXPECT_GE(all.percent(), 98.0) << map;
    EXPECT_GE(riding.percent(), 98.0) << map;
  }
}

}  // namespace
}  // namespace tickbox::tests
