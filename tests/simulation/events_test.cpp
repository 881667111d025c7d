// The hits, scores and spawns that clients receive under loss, against those of the recording.

#include "tests/simulation/stepped_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 12;

bool concerns(const client::MatchEvent& event, PlayerId seat) {
  return event.subject == seat ||
         (event.kind == protocol::EventKind::Hit && event.what == seat.value);
}

std::vector<client::MatchEvent> happened(const Harness& harness, std::uint64_t seed) {
  std::vector<client::MatchEvent> all;
  step_again(
      harness, seed,
      [&all](const server::Room& room, const record::RecordedTick& tick, bool before) {
        if (before) return;
        const auto add = [&](protocol::EventKind kind, PlayerId subject, std::uint32_t what) {
          all.push_back({.tick = tick.tick,
                         .kind = kind,
                         .subject = subject,
                         .what = static_cast<std::uint16_t>(what)});
        };
        std::vector<PlayerId> appeared;
        const auto spawn = [&](PlayerId player) {
          appeared.push_back(player);
          add(protocol::EventKind::Spawn, player, room.world().seat(player).generation);
        };
        const auto is_placed = [&](PlayerId player) {
          return std::ranges::count(room.events().teleports, player, &game::Teleport::player) !=
                     0 &&
                 std::ranges::count(appeared, player) == 0;
        };
        std::ranges::for_each(tick.joins, spawn);
        for (const game::Hit& hit : room.events().hits) {
          add(protocol::EventKind::Hit, hit.shooter, hit.victim.value);
          add(protocol::EventKind::Score, hit.shooter, room.world().seat(hit.shooter).score);
          if (is_placed(hit.victim)) spawn(hit.victim);
        }
        for (const game::Teleport& teleport : room.events().teleports) {
          if (is_placed(teleport.player)) spawn(teleport.player);
        }
      });
  return all;
}

struct Link {
  const char* name;
  net::LinkConditions conditions;
};

std::ostream& operator<<(std::ostream& out, const Link& link) {
  return out << link.name;
}

class Events : public testing::TestWithParam<Link> {};

TEST_P(Events, ComeInOrderAndOnceToWhomTheyConcern) {
  constexpr std::uint64_t kSeed = 11;
  // All of the map is in sight, so all clients receive all events.
  Harness harness{{.seed = kSeed,
                   .max_clients = kClients,
                   .sight = {.half_width = 200, .half_height = 200},
                   .link = GetParam().conditions,
                   .bot = game::BotKind::Chase}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{30});
  const Tick end = harness.room().world().tick;
  harness.stop();
  const std::vector<client::MatchEvent> all = happened(harness, kSeed);
  ASSERT_GT(all.size(), 100U) << "too quiet a match";
  EXPECT_EQ(harness.shard().metrics().events.lost, 0U);
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::vector<client::MatchEvent>& told = harness.players()[i].events;
    ASSERT_FALSE(told.empty());
    // From the tick of its own appearance on; the last may still have been on their way.
    const auto seat = harness.client(i).connection().accept().player;
    const auto own =
        std::ranges::find_if(all, [&](const auto& event) { return concerns(event, seat); });
    const auto first = std::ranges::find(all, own->tick, &client::MatchEvent::tick);
    const auto length = std::min<std::ptrdiff_t>(std::ssize(told), all.end() - first);
    ASSERT_TRUE(std::equal(told.begin(), told.end(), first, first + length)) << "client " << i;
    const auto missing = std::count_if(first + length, all.end(), [&](const auto& event) {
      return event.tick.value + 60 < end.value;
    });
    EXPECT_EQ(missing, 0) << "client " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Links, Events,
                         testing::Values(Link{"loopback", {}},
                                         Link{"mobile",
                                              {.delay = milliseconds{40},
                                               .jitter = milliseconds{8},
                                               .loss_ppm = 50'000}},
                                         Link{"bad",
                                              {.delay = milliseconds{60},
                                               .jitter = milliseconds{30},
                                               .loss_ppm = 200'000,
                                               .duplicate_ppm = 30'000,
                                               .reorder_ppm = 30'000}}),
                         [](const auto& link) { return link.param.name; });

// A client receives all events near its own body. Of the others it receives only those about its
// own player.
TEST(EventsInSight, AreToldToWhoSeesThem) {
  constexpr std::uint64_t kSeed = 12;
  Harness harness{{.seed = kSeed,
                   .max_clients = 32,
                   .sight = {.half_width = 6, .half_height = 6},
                   .bot = game::BotKind::Chase}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{20});
  const Tick end = harness.room().world().tick;
  harness.stop();
  const std::vector<client::MatchEvent> all = happened(harness, kSeed);
  std::size_t unseen = 0;
  for (std::size_t i = 0; i < kClients; ++i) {
    const auto seat = harness.client(i).connection().accept().player;
    std::vector<client::MatchEvent> expected;
    std::ranges::copy_if(all, std::back_inserter(expected), [&](const auto& event) {
      return concerns(event, seat) && event.tick.value + 60 < end.value;
    });
    std::vector<client::MatchEvent> own;
    std::ranges::copy_if(harness.players()[i].events, std::back_inserter(own), [&](const auto& e) {
      return concerns(e, seat) && e.tick.value + 60 < end.value;
    });
    EXPECT_EQ(own, expected) << "client " << i;
    unseen += all.size() - std::min(all.size(), harness.players()[i].events.size());
  }
  EXPECT_GT(unseen, 0U) << "everybody saw everything: this shows nothing";
}

}  // namespace
}  // namespace tickbox::tests
