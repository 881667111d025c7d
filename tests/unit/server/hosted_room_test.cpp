#include "server/shard/hosted_room.h"

#include "engine/identity.h"
#include "engine/map.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "server/shard/session.h"
#include "tests/support/declared_values.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {
namespace {

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 4;

/// A hosted room whose sessions are made by hand.
class HostedRoomTest : public ::testing::Test {
 protected:
  /// Gives a seat to a client, whose session plays.
  Session& play(std::uint16_t seat, std::uint64_t client = 7) {
    Session& session = sessions_[seat];
    session.state = Session::State::Playing;
    session.player = {seat};
    session.inputs.emplace(games::arena(), room_.tick());
    Seat& of = seat_of(seat);
    if (!of.held) room_.seats().hold(of, client);
    of.client = client;
    of.playing = &session;
    return session;
  }

  [[nodiscard]] Seat& seat_of(std::uint16_t seat) { return room_.seats().seat_of({seat}); }

  void push(Session& session, Tick tick, const std::vector<std::byte>& input) {
    session.inputs->push(tick, {.input = input});
  }

  void step() { room_.step(metrics_); }

  [[nodiscard]] std::uint64_t count(InputResult result) const {
    return metrics_.inputs[static_cast<std::size_t>(result)];
  }

  /// What the player of a seat holds after the last tick.
  [[nodiscard]] std::int64_t move_of(std::uint16_t seat) const {
    return tests::field_value(games::arena().input, room_.world().input({seat}), "move");
  }

  [[nodiscard]] static std::vector<std::byte> moving(std::int64_t move) {
    return tests::value_with(games::arena().input, {{.field = "move", .value = move}});
  }

  Match match_{games::arena(), engine::make_map(games::arena(), {.seats = kSeats}, kRate), kRate,
               1};
  HostedRoom room_{{.match = match_}, kSeats, kRate};
  std::array<Session, kSeats> sessions_;
  Metrics metrics_;
};

TEST_F(HostedRoomTest, KnowsWhichGameAndMapItPlays) {
  EXPECT_EQ(room_.identity(), engine::identity_of(games::arena(), match_.world().map(), kRate));
  EXPECT_EQ(room_.id(), kFirstRoom);
}

TEST_F(HostedRoomTest, AClientThatPlaysJoinsInTheNextTickWithItsInput) {
  Session& session = play(2);
  EXPECT_FALSE(room_.world().has({2}));
  push(session, {1}, moving(3));
  step();
  EXPECT_TRUE(room_.world().has({2}));
  EXPECT_TRUE(seat_of(2).in_world);
  EXPECT_EQ(move_of(2), 3);
  EXPECT_EQ(count(InputResult::Given), 1U);
  push(session, {2}, moving(5));
  step();
  EXPECT_EQ(move_of(2), 5);
  EXPECT_EQ(session.substituted, 0);
}

// The world does not wait for an input: the last one is repeated, and counted.
TEST_F(HostedRoomTest, AMissingInputIsReplacedAndCounted) {
  Session& session = play(0);
  push(session, {1}, moving(3));
  step();
  step();
  EXPECT_EQ(move_of(0), 3);
  EXPECT_EQ(session.substituted, 1);
  EXPECT_EQ(count(InputResult::Substituted), 1U);
}

TEST_F(HostedRoomTest, APlayerThatHasLostItsClientGetsTheInputByDefault) {
  Session& session = play(1);
  push(session, {1}, moving(3));
  step();
  seat_of(1).playing = nullptr;
  seat_of(1).orphaned = Instant{};
  step();
  EXPECT_TRUE(room_.world().has({1})) << "it waits for its client";
  EXPECT_EQ(move_of(1), 0);
}

TEST_F(HostedRoomTest, APlayerLeavesInTheTickAfterItsSeatIsReleased) {
  play(0);
  play(3);
  step();
  const BodyId before = room_.world().id(room_.world().avatar_of({3}));
  room_.release(seat_of(3));
  EXPECT_FALSE(seat_of(3).held);
  EXPECT_TRUE(room_.world().has({3}));
  step();
  EXPECT_FALSE(room_.world().has({3}));
  EXPECT_TRUE(room_.world().has({0}));
  play(3, 8);
  step();
  ASSERT_TRUE(room_.world().has({3}));
  EXPECT_NE(room_.world().id(room_.world().avatar_of({3})), before)
      << "its successor has an avatar of its own";
}

// One player leaves, and another joins in the same tick and seat.
TEST_F(HostedRoomTest, ASeatIsLeftAndTakenInOneTick) {
  play(1);
  step();
  const std::uint32_t generation = room_.world().seats()[1].generation;
  room_.release(seat_of(1));
  play(1, 8);
  step();
  EXPECT_TRUE(room_.world().has({1}));
  EXPECT_EQ(room_.world().seats()[1].generation, generation + 1);
}

TEST_F(HostedRoomTest, KnowsWhenAClientHasLeftTheMatch) {
  play(0, 41);
  play(1, 42);
  step();
  step();
  EXPECT_EQ(room_.departure_of(41), std::nullopt);
  room_.release(seat_of(0));
  EXPECT_EQ(room_.departure_of(41), Tick{3});
  EXPECT_EQ(room_.departure_of(42), std::nullopt);
  for (std::uint64_t client = 43; client < 43 + kDeparturesMax; ++client) {
    EXPECT_NE(room_.departure_of(41), std::nullopt);
    play(0, client);
    step();
    room_.release(seat_of(0));
  }
  EXPECT_EQ(room_.departure_of(41), std::nullopt) << "the first of the last 4,097";
  EXPECT_EQ(room_.departure_of(43), Tick{4});
}

// Before the fix, a client that was burnt came back with another token, as often as it liked.
TEST(HostedRoom, TellsTheGameThatAClientComesBack) {
  Match match{games::bomber(), engine::make_map(games::bomber(), {.seats = kSeats}, kRate), kRate,
              1};
  HostedRoom room{{.match = match}, kSeats, kRate};
  Metrics metrics;
  const auto join = [&](std::uint16_t seat, std::uint64_t client) {
    Seat& of = room.seats().seat_of({seat});
    if (!of.held) room.seats().hold(of, client);
    of.orphaned = Instant{};
    room.step(metrics);
    return room.world().avatar_of({seat}) != room.world().size();
  };
  EXPECT_TRUE(join(0, 41));
  EXPECT_TRUE(join(1, 42));
  EXPECT_TRUE(join(2, 43));
  room.release(room.seats().seat_of({0}));
  EXPECT_FALSE(join(3, 41)) << "it has played in this round";
  EXPECT_TRUE(join(0, 44));
}

TEST_F(HostedRoomTest, IsIdleWhileItHasNoPlayers) {
  step();
  EXPECT_TRUE(room_.is_idle()) << "also in the first tick";
  EXPECT_EQ(room_.tick(), Tick{1});
  play(0);
  step();
  EXPECT_FALSE(room_.is_idle());
  step();
  EXPECT_FALSE(room_.is_idle());
  room_.release(seat_of(0));
  EXPECT_EQ(room_.seats().held(), 0U);
  step();
  EXPECT_FALSE(room_.is_idle()) << "its player leaves";
  for (int i = 0; i < 200; ++i) {
    step();
    EXPECT_TRUE(room_.is_idle());
  }
  play(1);
  step();
  EXPECT_FALSE(room_.is_idle());
  EXPECT_TRUE(room_.world().has({1}));
}

// A client that has not proven its keys holds a seat, and has no player.
TEST_F(HostedRoomTest, IsIdleWhileASeatIsOnlyHeld) {
  room_.seats().hold(seat_of(0), 7);
  seat_of(0).pending = sessions_.data();
  step();
  EXPECT_TRUE(room_.is_idle());
  EXPECT_EQ(room_.seats().held(), 1U);
}

TEST_F(HostedRoomTest, ASeatThatIsReleasedBeforeItsJoinWasNeverThere) {
  play(1);
  room_.release(seat_of(1));
  step();
  EXPECT_FALSE(room_.world().has({1}));
  EXPECT_TRUE(match_.record().outcomes.empty());
}

TEST_F(HostedRoomTest, LogsWhereEachInputCameFrom) {
  Session& given = play(0, 41);
  play(2, 42);
  push(given, {1}, moving(3));
  step();
  engine::TickLogReader log{games::arena()};
  engine::World before{games::arena(), match_.world().map(), kRate, 1};
  log.begin(before);
  engine::DecodedTick tick;
  ASSERT_TRUE(log.read(match_.encoded_tick().bytes, tick));
  EXPECT_EQ(tick.joins, (std::vector<Player>{{0}, {2}}));
  EXPECT_EQ(tick.clients, (std::vector<std::uint64_t>{41, 42}));
  EXPECT_EQ(tick.sources, (std::vector<engine::PlayerSource>{
                              {.player = {0}, .source = engine::InputSource::Received},
                              {.player = {2}, .source = engine::InputSource::Repeated}}));
}

}  // namespace
}  // namespace tickbox::server
