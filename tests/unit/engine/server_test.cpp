// What the hooks of the live server ask and decide, on a game whose hook a test writes.

#include "engine/stepper.h"
#include "tickbox/adapter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::engine::server_test {
namespace {

struct Man {
  TICKBOX_FIELDS(Man)
};

struct Flag {
  Int<0, 9> number;
  TICKBOX_FIELDS(Flag, number)
};

struct Bird {
  TICKBOX_FIELDS(Bird)
};

struct Lobby {
  static constexpr std::string_view name = "lobby";
  static constexpr std::uint32_t version = 1;
  using Input = Empty;
  using Avatar = Man;
  using Kinds = List<Man, Flag, Bird>;
  using Server = tickbox::Server<Lobby>;

  template <class Kind>
  static constexpr std::int32_t top_speed(const Kind&) {
    return 1;
  }

  template <class Kind>
  static Body body(const Kind&) {
    return {.motion = Motion::Fixed, .collides_with = 0};
  }

  static Body body(const Bird&) { return {.collides_with = 0}; }

  static void map(MapBuilder& map, const MapOptions&) {
    map.solid({10 * kUnit, 0}, {kUnit, kUnit});
    map.one_way({20 * kUnit, 0}, {kUnit, kUnit}, OneWay::Up);
  }

  /// Players with an even seat have an entity: a man ten units from that of the even seat before.
  static void join(Server& server, Player who) {
    if (who.seat % 2 == 0) server.spawn_avatar(who, Man{}, place_of(who));
  }

  static Vec2 place_of(Player who) { return {who.seat * 5 * kUnit, 3 * kUnit}; }

  static void leave(Server& server, Player who) { has_left_with = server.token_user_data(who); }

  static void decide(Server& server) {
    if (task) std::exchange(task, nullptr)(server);
  }

  static std::function<void(Server&)> task;  ///< of the next tick
  static std::string has_left_with;          ///< a token's data that the last leave() has seen
};

std::function<void(Lobby::Server&)> Lobby::task;
std::string Lobby::has_left_with;

constexpr std::uint32_t kRate = 60;

class ServerTest : public ::testing::Test {
 protected:
  /// Steps a tick with this hook. A replay of it gives the same state.
  void decide(std::function<void(Lobby::Server&)> task, const std::vector<Join>& joins = {},
              const std::vector<Player>& leaves = {}) {
    World replayed = world_;
    Lobby::task = std::move(task);
    stepper_.step(world_, {.leaves = leaves, .joins = joins}, record_);
    EXPECT_FALSE(Lobby::task);
    replay_.replay(replayed, record_);
    EXPECT_EQ(state_hash(replayed), state_hash(world_));
  }

  void join(const std::vector<std::uint16_t>& seats) {
    std::vector<Join> joins;
    joins.reserve(seats.size());
    for (const std::uint16_t seat : seats) {
      joins.push_back({.player = {seat}, .user_data = {}});
    }
    decide([](Lobby::Server&) {}, joins);
  }

  [[nodiscard]] const SeatInfo& seat(std::uint16_t number) const { return world_.seats()[number]; }

  [[nodiscard]] static Vec2 middle_of(Vec2 min) { return {min.x + kUnit / 2, min.y + kUnit / 2}; }

  World world_{kGameTable<Lobby>, make_map(kGameTable<Lobby>, {.seats = 8}, kRate), kRate, 1};
  Stepper stepper_;
  Stepper replay_;
  TickRecord record_;
};

TEST_F(ServerTest, VisitsThePlayersInTheRoomBySeat) {
  join({5, 0, 2});
  decide([](Lobby::Server& server) {
    EXPECT_EQ(server.seats(), 8);
    std::vector<int> seats;
    server.for_each_player([&](Player who) { seats.push_back(who.seat); });
    EXPECT_EQ(seats, (std::vector<int>{0, 2, 5}));
  });
}

TEST_F(ServerTest, APlayerWhoLeavesHasNoneOfTheDataOfTheNextOneOnItsSeat) {
  decide([](Lobby::Server&) {}, {{.player = {0}, .user_data = "red"}});
  decide([](Lobby::Server& server) { EXPECT_EQ(server.token_user_data({0}), "blue"); },
         {{.player = {0}, .user_data = "blue"}}, {{0}});
  EXPECT_EQ(Lobby::has_left_with, "");
}

TEST_F(ServerTest, SaysWhenTheClientThatJoinsHasLeftBefore) {
  decide(
      [](Lobby::Server& server) {
        EXPECT_EQ(server.has_left_at({0}), 7);
        EXPECT_EQ(server.has_left_at({1}), std::nullopt);
        EXPECT_EQ(server.has_left_at({2}), std::nullopt) << "nobody joins there";
      },
      {{.player = {0}, .user_data = {}, .has_left_at = Tick{7}}, {.player = {1}, .user_data = {}}});
  decide([](Lobby::Server& server) {
    EXPECT_EQ(server.has_left_at({0}), std::nullopt) << "it has joined a tick ago";
  });
}

TEST_F(ServerTest, CountsTheEntitiesOfAKindAndFindsTheFirst) {
  join({0, 1, 2});
  decide([](Lobby::Server& server) {
    EXPECT_EQ(server.count<Man>(), 2);
    EXPECT_EQ(server.first<Man>()->owner, Player{0});
    EXPECT_EQ(server.count<Flag>(), 0);
    EXPECT_FALSE(server.first<Flag>());
    server.spawn(Flag{.number = 7}, {});
    EXPECT_EQ(server.count<Flag>(), 0) << "it exists from the end of the phase";
    server.remove(server.first<Man>()->ref);
    EXPECT_EQ(server.count<Man>(), 1);
    EXPECT_EQ(server.first<Man>()->owner, Player{2});
  });
  decide([](Lobby::Server& server) { EXPECT_EQ((*server.first<Flag>())->number, 7); });
}

TEST_F(ServerTest, SpawnsWithAVelocity) {
  Vec2 velocity{};
  decide([&](Lobby::Server& server) {
    velocity = {server.speed(1, 2), -server.speed(1, 3)};
    server.spawn(Bird{}, {0, 5 * kUnit}, velocity);
    server.spawn(Bird{}, {}, {server.speed(90), 0});
  });
  decide([&](Lobby::Server& server) {
    EXPECT_EQ(server.first<Bird>()->velocity, velocity);
    EXPECT_EQ(server.first<Bird>()->min, (Vec2{velocity.x, 5 * kUnit + velocity.y}));
    std::int32_t fastest = 0;
    server.for_each<Bird>(
        [&](ConstEntity<Bird> it) { fastest = std::max(fastest, it.velocity.x); });
    EXPECT_EQ(fastest, server.speed(1)) << "the top speed of its kind";
  });
}

TEST_F(ServerTest, FindsTheAvatarOfAPlayer) {
  join({0, 1, 2});
  decide([](Lobby::Server& server) {
    EXPECT_EQ(server.avatar({2})->min, Lobby::place_of({2}));
    EXPECT_FALSE(server.avatar({1})) << "a player without one";
    EXPECT_FALSE(server.avatar({4})) << "a free seat";
    EXPECT_FALSE(server.avatar({}));
    server.remove(server.avatar({2})->ref);
    EXPECT_FALSE(server.avatar({2}));
  });
}

TEST_F(ServerTest, KnowsTheWallsOfTheMap) {
  decide([](Lobby::Server& server) {
    EXPECT_TRUE(server.overlaps_wall({10 * kUnit, 0}, {}));
    EXPECT_FALSE(server.overlaps_wall({9 * kUnit, 0}, {kUnit, kUnit})) << "it touches it";
    EXPECT_TRUE(server.overlaps_wall({9 * kUnit, 0}, {kUnit + 1, kUnit}));
    EXPECT_TRUE(server.overlaps_wall({20 * kUnit, 0}, {})) << "solid from one side";
  });
}

TEST_F(ServerTest, UnfocusFollowsTheOwnEntityAgain) {
  join({0, 2});
  const Vec2 place{77 * kUnit, 0};
  decide([&](Lobby::Server& server) { server.focus({0}, place); });
  EXPECT_TRUE(seat(0).has_chosen_focus);
  EXPECT_EQ(seat(0).focus_place, place);
  decide([](Lobby::Server& server) { server.unfocus({0}); });
  EXPECT_FALSE(seat(0).has_chosen_focus);
  EXPECT_EQ(seat(0).focus, ref_of(world_.id(world_.avatar_of({0}))));
  EXPECT_EQ(seat(0).focus_place, middle_of(Lobby::place_of({0})));
  decide([&](Lobby::Server& server) { server.focus({0}, server.avatar({2})->ref); });
  EXPECT_EQ(seat(0).focus_place, middle_of(Lobby::place_of({2})));
  decide([](Lobby::Server& server) { server.unfocus({0}); });
  EXPECT_EQ(seat(0).focus_place, middle_of(Lobby::place_of({0})));
}

TEST_F(ServerTest, UnfocusWithoutAnEntityStaysUntilThereIsOne) {
  join({0, 1});
  decide([](Lobby::Server& server) { server.focus({1}, server.avatar({0})->ref); });
  const Vec2 watched = seat(1).focus_place;
  decide([](Lobby::Server& server) {
    server.unfocus({1});
    server.remove(server.avatar({0})->ref);
  });
  EXPECT_EQ(seat(1).focus, Ref{});
  EXPECT_EQ(seat(1).focus_place, watched);
  const Vec2 place{40 * kUnit, 0};
  decide([&](Lobby::Server& server) { server.spawn_avatar({1}, Man{}, place); });
  EXPECT_EQ(seat(1).focus_place, middle_of(place));
}

// An entity that the same hook has removed does not count. An entity that it has spawned does.
TEST_F(ServerTest, UnfocusFindsAnEntityThatTheSameHookSpawns) {
  join({0});
  const Vec2 place{40 * kUnit, 0};
  decide([&](Lobby::Server& server) {
    server.focus({0}, Vec2{});
    server.remove(server.avatar({0})->ref);
    server.spawn_avatar({0}, Man{}, place);
    server.unfocus({0});
  });
  EXPECT_EQ(seat(0).focus_place, middle_of(place));
}

// Before the fix, a tick above INT32_MAX became a negative number.
TEST_F(ServerTest, TheTickIsNeverNegative) {
  world_.tick = {0x8000'0005U};
  decide([](Lobby::Server& server) { EXPECT_EQ(server.tick(), INT32_MAX); });
}

}  // namespace
}  // namespace tickbox::engine::server_test
