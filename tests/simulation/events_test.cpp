// The events that clients receive under loss, against those of the match stepped again.

#include "views/events.h"

#include "engine/declared.h"
#include "games/arena/arena.h"
#include "tests/simulation/stepped_match.h"
#include "tests/support/menagerie.h"
#include "tests/support/sights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <ostream>
#include <vector>

namespace tickbox::tests::events_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kClients = 12;

/// Whether an event is of a player's state, or names the player.
bool concerns(const GameTable& game, const HeardEvent& event, Player seat) {
  if (event.kind == 0) return event.player == seat;
  for (const FieldInfo& field : views::type_of(game, event.kind).fields()) {
    if (field.form != FieldForm::Player) continue;
    for (std::size_t i = 0; i < field.times; ++i) {
      if (engine::value_of(field, i, event.bytes) == seat.seat) return true;
    }
  }
  return false;
}

Player seat_of(const Harness& harness, std::size_t client) {
  return {harness.client(client).connection().accept().player.value};
}

/// All events of a match, and the tick in which each seat was taken first.
struct Happened {
  std::vector<HeardEvent> events;
  std::map<std::uint16_t, Tick> joins;
};

Happened happened(const Harness& harness, std::uint64_t seed) {
  Happened all;
  step_again(harness, seed,
             {.on_tick = [&](const server::Match& match, const engine::DecodedTick& tick) {
               const Tick now = match.world().tick;
               const GameTable& game = harness.game();
               for (const Player player : tick.joins) {
                 all.joins.emplace(player.seat, now);
               }
               for (const engine::Emitted& emitted : match.report().emitted) {
                 const auto kind = static_cast<std::uint8_t>(emitted.type + 1);
                 HeardEvent& event = all.events.emplace_back(
                     HeardEvent{.tick = now, .kind = kind, .player = {}, .bytes = {}});
                 const TypeInfo& type = game.events[emitted.type];
                 engine::append_clean(type, match.report().event(type, emitted), event.bytes);
               }
               for (const engine::Outcome& outcome : match.record().outcomes) {
                 if (outcome.kind != engine::OutcomeKind::Seat) continue;
                 HeardEvent& event = all.events.emplace_back(
                     HeardEvent{.tick = now, .kind = 0, .player = outcome.player, .bytes = {}});
                 engine::append_clean(game.seat, match.record().bytes_of(outcome), event.bytes);
               }
             }});
  return all;
}

struct Link {
  const char* name;
  net::LinkConditions conditions;
};

std::ostream& operator<<(std::ostream& out, const Link& link) {
  return out << link.name;
}

/// Expects that the client has received all events about its own player, in order and once, except
/// those of the last 60 ticks. Returns the number of all events that it has received.
std::size_t expect_own_events(const Harness& harness, const Happened& all, std::size_t client,
                              Tick end) {
  const Player seat = seat_of(harness, client);
  const auto is_own = [&](const HeardEvent& event) {
    return concerns(harness.game(), event, seat) && event.tick.value + 60 < end.value;
  };
  const std::vector<HeardEvent>& told = harness.players()[client].events;
  std::vector<HeardEvent> expected;
  std::ranges::copy_if(all.events, std::back_inserter(expected), is_own);
  std::vector<HeardEvent> own;
  std::ranges::copy_if(told, std::back_inserter(own), is_own);
  EXPECT_TRUE(own == expected) << "client " << client << ": " << own.size() << " of "
                               << expected.size();
  return told.size();
}

class Events : public testing::TestWithParam<Link> {};

TEST_P(Events, ComeInOrderAndOnceToWhomTheyConcern) {
  constexpr std::uint64_t kSeed = 11;
  // All of the map is in sight, so all clients receive all events.
  const GameTable wide = with_sight(games::arena(), &sight_of<200, 200>);
  Harness harness{{.seed = kSeed,
                   .max_clients = kClients,
                   .link = GetParam().conditions,
                   .bot = "chase",
                   .game = &wide}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{30});
  const Tick end = harness.world().tick;
  harness.stop();
  const Happened all = happened(harness, kSeed);
  ASSERT_GT(all.events.size(), 100U) << "too quiet a match";
  EXPECT_EQ(harness.shard().metrics().events.lost, 0U);
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::vector<HeardEvent>& told = harness.players()[i].events;
    ASSERT_FALSE(told.empty());
    // The client receives all events from the tick in which it joined on. Those of the last 60
    // ticks may still have been on their way.
    const Tick joined = all.joins.at(seat_of(harness, i).seat);
    const auto first = std::ranges::find_if(
        all.events, [joined](const HeardEvent& event) { return event.tick >= joined; });
    const auto length = std::min<std::ptrdiff_t>(std::ssize(told), all.events.end() - first);
    ASSERT_TRUE(std::equal(told.begin(), told.end(), first, first + length)) << "client " << i;
    const auto missing =
        std::count_if(first + length, all.events.end(),
                      [&](const HeardEvent& event) { return event.tick.value + 60 < end.value; });
    EXPECT_EQ(missing, 0) << "client " << i;
  }
}

// The same in a game whose players may have no avatar for a while. A player without an avatar sees
// less.
TEST_P(Events, OfAnotherGameComeInOrderAndOnceToWhomTheyConcern) {
  constexpr std::uint64_t kSeed = 11;
  Harness harness{{.seed = kSeed,
                   .max_clients = kClients,
                   .link = GetParam().conditions,
                   .game = &menagerie()}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{20});
  const Tick end = harness.world().tick;
  harness.stop();
  const Happened all = happened(harness, kSeed);
  EXPECT_EQ(harness.shard().metrics().events.lost, 0U);
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_GT(expect_own_events(harness, all, i, end), 10U);
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
  const GameTable narrow = with_sight(games::arena(), &sight_of<6, 6>);
  Harness harness{{.seed = kSeed, .max_clients = 32, .bot = "chase", .game = &narrow}};
  for (std::size_t i = 0; i < kClients; ++i) {
    harness.add_client();
  }
  harness.run_for(seconds{20});
  const Tick end = harness.world().tick;
  harness.stop();
  const Happened all = happened(harness, kSeed);
  std::size_t unseen = 0;
  for (std::size_t i = 0; i < kClients; ++i) {
    const std::size_t told = expect_own_events(harness, all, i, end);
    unseen += all.events.size() - std::min(all.events.size(), told);
  }
  EXPECT_GT(unseen, 0U) << "everybody saw everything: this shows nothing";
}

}  // namespace
}  // namespace tickbox::tests::events_test
