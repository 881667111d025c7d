#include "server/shard/seats.h"

#include "server/shard/session.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::server {
namespace {

TEST(Seats, GivesOutEachSeatOnce) {
  Seats seats{3};
  EXPECT_EQ(seats.count(), 3U);
  std::set<std::uint16_t> given;
  while (Seat* seat = seats.find_free()) {
    seat->held = true;
    EXPECT_TRUE(given.insert(seat->player.value).second);
  }
  EXPECT_EQ(given, (std::set<std::uint16_t>{0, 1, 2}));
  EXPECT_EQ(seats.held(), 3U);
  Seats::release(seats.seat_of(PlayerId{1}));
  EXPECT_EQ(seats.held(), 2U);
  ASSERT_NE(seats.find_free(), nullptr);
  EXPECT_EQ(seats.find_free()->player, PlayerId{1});
}

TEST(Seats, HasAPendingSessionTakeOver) {
  Seats seats{2};
  Seat& seat = seats.seat_of(PlayerId{1});
  Session first;
  first.ticket_serial = 5;
  seat.orphaned = Instant{};
  seat.pending = &first;
  Seats::take_over(seat);
  EXPECT_EQ(seat.playing, &first);
  EXPECT_EQ(seat.pending, nullptr);
  EXPECT_EQ(seat.good_ticket, 5U);
  EXPECT_FALSE(seat.orphaned) << "its client is back";
  Session second;
  second.ticket_serial = 6;
  seat.pending = &second;
  Seats::take_over(seat);
  EXPECT_EQ(seat.playing, &second);
  EXPECT_EQ(seat.good_ticket, 6U);
}

TEST(Seats, ForgetsAllOfASeatButHowManyTicketsItGave) {
  Seats seats{2};
  Seat& seat = seats.seat_of(PlayerId{1});
  Session session;
  session.ticket_serial = 9;
  seat.held = true;
  seat.in_world = true;
  seat.client = 7;
  seat.serials = 9;
  seat.pending = &session;
  Seats::take_over(seat);
  Seats::release(seat);
  EXPECT_EQ(seat.playing, nullptr);
  EXPECT_FALSE(seat.held);
  EXPECT_FALSE(seat.in_world);
  EXPECT_EQ(seat.client, 0U);
  EXPECT_EQ(seat.good_ticket, 0U) << "no ticket of before is good";
  EXPECT_EQ(seat.serials, 9U) << "and none will have its serial";
  EXPECT_EQ(seat.player, PlayerId{1});
}

}  // namespace
}  // namespace tickbox::server
