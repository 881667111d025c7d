// A shard with two rooms: each client plays in the room of its token, and the rooms do not disturb
// each other.

#include "games/bomber/bomber.h"
#include "tests/support/two_rooms.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tickbox::tests {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::size_t players_in(const server::Match& match) {
  std::size_t players = 0;
  for (const engine::SeatInfo& seat : match.world().seats()) {
    players += seat.taken ? 1U : 0U;
  }
  return players;
}

TEST(Rooms, EachClientPlaysInTheRoomOfItsToken) {
  TwoRooms rooms{{}};
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(rooms.add_client_of(kFirst.value), 3U);
  }
  const std::size_t fourth = rooms.add_client_of(kSecond.value);
  const std::size_t fifth = rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{10});
  EXPECT_EQ(rooms.room_of(0), kFirst);
  EXPECT_EQ(rooms.room_of(fourth), kSecond);
  EXPECT_EQ(rooms.room_of(fifth), kSecond);
  EXPECT_EQ(players_in(rooms.match()), 3U);
  EXPECT_EQ(players_in(rooms.second()), 2U);
  EXPECT_EQ(rooms.shard().clients(), 5U);
  EXPECT_EQ(rooms.shard().entities(), rooms.world().size() + rooms.second().world().size());
  EXPECT_NE(rooms.match().hash(), rooms.second().hash());
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_TRUE(rooms.client(i).playing()) << i;
    EXPECT_EQ(rooms.client(i).stats().hashes_mismatched, 0U) << i;
  }
  EXPECT_EQ(rooms.shard().metrics().hash_mismatches, 0U);
}

TEST(Rooms, ATokenOfAnyRoomFillsTheFirstRoomAndThenTheNext) {
  TwoRooms rooms{{.max_clients = 1}};
  rooms.add_client_of(kAnyRoom);
  rooms.run_for(seconds{1});
  const std::size_t second = rooms.add_client_of(kAnyRoom);
  rooms.run_for(seconds{1});
  const std::size_t third = rooms.add_client_of(kAnyRoom);
  const std::size_t of_first = rooms.add_client_of(kFirst.value);
  const std::size_t of_none = rooms.add_client_of(3);
  rooms.run_for(seconds{1});
  EXPECT_EQ(rooms.room_of(0), kFirst);
  EXPECT_EQ(rooms.room_of(second), kSecond);
  EXPECT_EQ(rooms.client(third).connection().reason(), "server full 2/2");
  EXPECT_EQ(rooms.client(of_first).connection().reason(), "server full 1/1");
  EXPECT_EQ(rooms.client(of_none).connection().state(), Connection::State::Refused);
  EXPECT_EQ(rooms.shard().seats_held(), 2U);
}

// The rooms before filled up one after the other, in the order in which they were opened.
TEST(Rooms, ATokenOfAnyRoomLeadsToTheFullestOneWithSpace) {
  TwoRooms rooms{{.max_clients = 3}};
  rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{1});
  const std::size_t meets = rooms.add_client_of(kAnyRoom);
  rooms.run_for(seconds{1});
  EXPECT_EQ(rooms.room_of(meets), kSecond);
  rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{1});
  const std::size_t beside = rooms.add_client_of(kAnyRoom);
  rooms.run_for(seconds{1});
  EXPECT_EQ(rooms.room_of(beside), kFirst) << "the fullest has no space";
}

// Rooms come and go while others play: nobody there notices, and nothing leads to the old one.
TEST(Rooms, OpenAndCloseWhileOthersPlay) {
  TwoRooms rooms{
      {.client_game = [](std::size_t client) { return client < 3 ? nullptr : &games::bomber(); }}};
  const std::size_t stays = rooms.add_client_of(kFirst.value);
  const std::size_t leaves = rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{2});
  ASSERT_TRUE(rooms.client(leaves).playing());
  ASSERT_TRUE(rooms.shard().close_room(kSecond, rooms.now()));
  EXPECT_FALSE(rooms.shard().close_room(kSecond, rooms.now()));
  rooms.run_for(seconds{1});
  EXPECT_TRUE(rooms.client(leaves).connection().match_has_ended());
  EXPECT_EQ(rooms.shard().clients(), 1U);
  EXPECT_EQ(rooms.shard().seats_held(), 1U);
  const std::size_t late = rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{1});
  EXPECT_EQ(rooms.client(late).connection().state(), Connection::State::Refused);
  for (std::uint32_t id = 100; id < 140; ++id) {
    server::Match match{games::bomber(), engine::make_map(games::bomber(), {.seats = 16}, 60), 60,
                        id};
    rooms.shard().open_room({.match = match, .id = {id}});
    const std::size_t guest = rooms.add_client_of(id);
    rooms.run_for(milliseconds{400});
    EXPECT_TRUE(rooms.client(guest).playing()) << id;
    EXPECT_EQ(rooms.room_of(guest), RoomId{id});
    EXPECT_EQ(rooms.client(guest).stats().hashes_mismatched, 0U);
    std::vector<server::RoomStatus> open;
    rooms.shard().copy_rooms(open);
    ASSERT_EQ(open.size(), 2U);
    EXPECT_EQ(open[1].game, &games::bomber());
    EXPECT_EQ(open[1].players, 1U);
    ASSERT_TRUE(rooms.shard().close_room({id}, rooms.now()));
    rooms.run_for(milliseconds{100});
  }
  EXPECT_TRUE(rooms.client(stays).playing());
  EXPECT_EQ(rooms.client(stays).stats().hashes_mismatched, 0U);
  EXPECT_EQ(rooms.client(stays).stats().corrected, 0U);
}

// What was read of a match must not be used for another one that has its address.
TEST(Rooms, ARoomAtThePlaceOfAClosedOneIsReadAnew) {
  TwoRooms rooms{{.bot = "stress"}};
  ASSERT_TRUE(rooms.shard().close_room(kFirst, rooms.now()));
  ASSERT_TRUE(rooms.shard().close_room(kSecond, rooms.now()));
  for (std::uint32_t id = 10; id < 20; ++id) {
    server::Match match{rooms.game(), rooms.match().world().map(), 60, id};
    rooms.shard().open_room({.match = match, .id = {id}});
    std::vector<std::size_t> guests;
    for (std::uint32_t i = 0; i < 1 + id % 3; ++i) {
      guests.push_back(rooms.add_client_of(id));
    }
    rooms.run_for(milliseconds{800});
    for (const std::size_t guest : guests) {
      ASSERT_TRUE(rooms.client(guest).playing()) << id;
      EXPECT_GT(rooms.client(guest).stats().hashes_checked, 10U);
      EXPECT_EQ(rooms.client(guest).stats().hashes_mismatched, 0U);
    }
    ASSERT_TRUE(rooms.shard().close_room({id}, rooms.now()));
  }
}

TEST(Rooms, AreToBeClosedAfterTheirTimeWithoutPlayers) {
  constexpr RoomId kThird{9};
  TwoRooms rooms{{}};
  server::Match match{rooms.game(), rooms.match().world().map(), 60, 3};
  rooms.shard().open_room({.match = match, .id = kThird, .close_when_empty = seconds{60}});
  const auto found = [&] { return rooms.shard().find_empty_room(rooms.now()); };
  /// Runs until a room is to be closed, and returns the time.
  const auto time_left = [&] {
    const Instant begun = rooms.now();
    while (!found() && rooms.now() - begun < std::chrono::minutes{5}) {
      rooms.run_for(milliseconds{10});
    }
    return rooms.now() - begun;
  };
  EXPECT_EQ(time_left(), seconds{60}) << "nobody has joined";
  EXPECT_EQ(found(), kThird) << "the others stay open";

  const std::size_t client = rooms.add_client_of(kThird.value);
  rooms.run_for(seconds{1});
  ASSERT_TRUE(rooms.client(client).playing());
  const Instant silenced = rooms.now();
  rooms.silence(client);
  while (rooms.shard().seats_held() > 0) {
    ASSERT_EQ(found(), std::nullopt) << "its player may return";
    rooms.run_for(milliseconds{10});
  }
  EXPECT_GT(rooms.now() - silenced, server::kBodyKept);
  EXPECT_EQ(time_left(), seconds{60}) << "the last player has left";
  ASSERT_TRUE(rooms.shard().close_room(kThird, rooms.now()));
  EXPECT_EQ(found(), std::nullopt);
}

TEST(Rooms, AClientReturnsToItsOwnRoomByItsTicket) {
  TwoRooms rooms{{}};
  rooms.add_client_of(kFirst.value);
  const std::size_t client = rooms.add_client_of(kSecond.value);
  rooms.run_for(seconds{1});
  const net::Accept before = rooms.client(client).connection().accept();
  rooms.restart_with_ticket(client);
  rooms.run_for(seconds{1});
  ASSERT_TRUE(rooms.client(client).playing());
  EXPECT_EQ(rooms.room_of(client), kSecond);
  EXPECT_EQ(rooms.client(client).connection().accept().player, before.player);
  EXPECT_EQ(rooms.client(client).connection().accept().generation, before.generation);
  rooms.leave(client);
  rooms.run_for(seconds{1});
  EXPECT_EQ(players_in(rooms.second()), 0U);
  EXPECT_EQ(players_in(rooms.match()), 1U) << "the player with the same number in the other room";
}

}  // namespace
}  // namespace tickbox::tests
