#include "server/shard/seats.h"

#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::server {
namespace {

tests::SeededEntropy& entropy() {
  static tests::SeededEntropy seeded{1};
  return seeded;
}

/// Opens a session in a seat, as the server does; returns its connection id.
std::uint32_t open(Seats& seats, Session& session, std::uint32_t serial = 1) {
  const std::uint32_t connection = seats.new_connection(session, entropy());
  session.state = Session::State::Accepted;
  session.channel = net::PacketChannel{{}, connection, net::Direction::ToClient};
  session.ticket_serial = serial;
  return connection;
}

TEST(Seats, GivesOutEachSeatOnce) {
  Seats seats{3};
  std::set<std::uint16_t> given;
  while (Seat* seat = seats.find_free()) {
    seat->held = true;
    EXPECT_TRUE(given.insert(seat->player.value).second);
  }
  EXPECT_EQ(given, (std::set<std::uint16_t>{0, 1, 2}));
  EXPECT_EQ(seats.held(), 3U);
  seats.release(seats.of(PlayerId{1}));
  EXPECT_EQ(seats.held(), 2U);
  ASSERT_NE(seats.find_free(), nullptr);
  EXPECT_EQ(seats.find_free()->player, PlayerId{1});
}

TEST(Seats, FindsASessionByItsConnectionAndNoOther) {
  Seats seats{4};
  Session& one = seats.spare(seats.of(PlayerId{1}));
  Session& other = seats.spare(seats.of(PlayerId{3}));
  const std::uint32_t connection = open(seats, one);
  const std::uint32_t connection_of_other = open(seats, other);
  EXPECT_EQ(seats.find(connection), &one);
  EXPECT_EQ(seats.find(connection_of_other), &other);
  for (std::uint32_t stranger = 0; stranger < 100'000; ++stranger) {
    if (stranger == connection || stranger == connection_of_other) continue;
    ASSERT_EQ(seats.find(stranger), nullptr) << stranger;
  }
  EXPECT_EQ(seats.find(0xffff'ffff), nullptr);
}

TEST(Seats, ForgetsAConnectionWithItsSession) {
  Seats seats{2};
  Seat& seat = seats.of(PlayerId{0});
  Session& session = seats.spare(seat);
  const std::uint32_t first = open(seats, session);
  seats.reset(session);
  EXPECT_EQ(seats.find(first), nullptr);
  const std::uint32_t second = open(seats, session);
  EXPECT_NE(second, first);
  EXPECT_EQ(seats.find(first), nullptr) << "late packets of the first are nobody's";
  EXPECT_EQ(seats.find(second), &session);
}

TEST(Seats, DrawsConnectionIdsSoThatNobodyCanGuessThem) {
  Seats seats{2};
  for (Session& session : seats.sessions()) {
    std::set<std::uint32_t> given;
    std::uint32_t last = 0;
    for (int i = 0; i < 1'000; ++i) {
      const std::uint32_t connection = seats.new_connection(session, entropy());
      EXPECT_NE(connection, last);
      last = connection;
      given.insert(connection);
    }
    EXPECT_GT(given.size(), 990U) << "of half a million";
    EXPECT_GT(*given.rbegin() - *given.begin(), std::uint32_t{1} << 31);
  }
}

// Nobody plays while the body waits: the one that is on its way in is the one to be answered again.
TEST(Seats, KnowsThePendingSessionOfABodyWithoutAClient) {
  Seats seats{1};
  Seat& seat = seats.of(PlayerId{0});
  Session& second = seats.sessions_of(seat)[1];
  open(seats, second);
  EXPECT_EQ(&seats.spare(seat), &second);
}

TEST(Seats, HasASpareSessionBesideTheOneThatPlays) {
  Seats seats{2};
  Seat& seat = seats.of(PlayerId{1});
  seat.held = true;
  EXPECT_EQ(seats.playing(seat), nullptr);
  Session& first = seats.spare(seat);
  open(seats, first, 5);
  EXPECT_EQ(&seats.spare(seat), &first) << "until it plays, the next attempt takes its place";
  seats.take_over(seat, first);
  EXPECT_EQ(seats.playing(seat), &first);
  EXPECT_EQ(seat.good_ticket, 5U);
  Session& second = seats.spare(seat);
  EXPECT_NE(&second, &first);
  EXPECT_EQ(second.seat, PlayerId{1});
  open(seats, second, 6);
  seats.take_over(seat, second);
  EXPECT_EQ(seats.playing(seat), &second);
  EXPECT_EQ(&seats.spare(seat), &first);
  EXPECT_EQ(seat.good_ticket, 6U);
}

TEST(Seats, KnowsWhoLeftJustNowByIdAndAddress) {
  Seats seats{2};
  const net::Address there{.port = 7};
  Session& session = seats.spare(seats.of(PlayerId{1}));
  const std::uint32_t connection = open(seats, session);
  session.route.peer = there;
  const Instant left{std::chrono::seconds{9}};
  EXPECT_FALSE(seats.has_departed(connection, there, left)) << "it is there";
  seats.depart(session, left);
  seats.reset(session);
  EXPECT_TRUE(seats.has_departed(connection, there, left + kLastPackets));
  EXPECT_FALSE(seats.has_departed(connection, there, left + kLastPackets + Duration{1}));
  EXPECT_FALSE(seats.has_departed(connection, {.port = 8}, left));
  EXPECT_FALSE(seats.has_departed(connection + 1, there, left)) << "the session beside it";
  EXPECT_FALSE(seats.has_departed(connection ^ 0x8000'0000U, there, left));
  EXPECT_FALSE(seats.has_departed(0xffff'ffffU, there, left)) << "of no session";
  const std::uint32_t next = open(seats, session);
  EXPECT_TRUE(seats.has_departed(connection, there, left)) << "another plays there by now";
  session.route.peer = there;
  seats.depart(session, left);
  EXPECT_TRUE(seats.has_departed(next, there, left));
  EXPECT_FALSE(seats.has_departed(connection, there, left)) << "one is remembered of each session";
}

TEST(Seats, ForgetsAllOfASeatButHowManyTicketsItGave) {
  Seats seats{2};
  Seat& seat = seats.of(PlayerId{1});
  seat.held = true;
  seat.in_world = true;
  seat.client = 7;
  seat.serials = 9;
  seat.orphaned = Instant{};
  Session& session = seats.spare(seat);
  const std::uint32_t connection = open(seats, session, 9);
  seats.take_over(seat, session);
  EXPECT_FALSE(seat.orphaned) << "who takes over is there";
  seats.release(seat);
  EXPECT_EQ(seats.find(connection), nullptr);
  EXPECT_EQ(seats.playing(seat), nullptr);
  EXPECT_FALSE(seat.held);
  EXPECT_FALSE(seat.in_world);
  EXPECT_EQ(seat.client, 0U);
  EXPECT_EQ(seat.good_ticket, 0U) << "no ticket of before is good";
  EXPECT_EQ(seat.serials, 9U) << "and none will have its serial";
  EXPECT_EQ(seat.player, PlayerId{1});
}

}  // namespace
}  // namespace tickbox::server
