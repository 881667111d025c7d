#pragma once
// A match in which a test changes a bit of the room's world or of a client's, and compares what
// both ends find.

#include "games/arena/arena.h"
#include "tests/support/changed_game.h"
#include "tests/support/harness.h"
#include "tests/support/sights.h"
#include "tickbox/game.h"
#include "views/view_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::tests {

inline constexpr std::size_t kDesyncClients = 4;

/// An open field: no wall takes back what a flip has moved.
inline void make_open_field(MapBuilder& builder, const MapOptions& options) {
  for (std::uint32_t i = 0; i < 5 * options.seats; ++i) {
    builder.object("spawn", {.x = static_cast<std::int32_t>(i) * 3 * kUnit, .y = 0});
  }
  builder.object("crate", {.x = 0, .y = 50 * kUnit});
}

/// All of the field is in sight.
[[nodiscard]] inline GameTable open_arena() {
  GameTable game = with_sight(games::arena(), &sight_of<400, 400>);
  game.map = &make_open_field;
  return game;
}

/// A match in which the test may change a world after each step. A change is made to the world of
/// the room or of one client, in the tick that the test names.
class DesyncTest : public testing::Test {
 protected:
  void begin(const net::LinkConditions& link, const std::string& bot = "wander") {
    in_client_.clear();
    in_room_ = nullptr;
    room_at_ = {};
    harness_.reset();
    client_games_.clear();
    room_game_.emplace(game_, Changes{.after = [this](const MidTick& tick) {
                         if (tick.tick() == room_at_) in_room_(tick);
                       }});
    for (std::size_t client = 0; client < kDesyncClients; ++client) {
      client_games_.emplace_back(game_, Changes{.after = [this, client](const MidTick& tick) {
                                   const auto [first, last] = in_client_.equal_range(client);
                                   for (auto each = first; each != last; ++each) {
                                     if (tick.tick() == each->second.first)
                                       each->second.second(tick);
                                   }
                                 }});
    }
    harness_.emplace(HarnessOptions{
        .max_clients = 8,
        .link = link,
        .bot = bot,
        .game = &*room_game_,
        .client_game = [this](std::size_t client) { return &client_games_[client]; }});
    for (std::size_t i = 0; i < kDesyncClients; ++i) {
      harness_->add_client();
    }
    harness_->run_for(std::chrono::seconds{3});
    ASSERT_EQ(harness_->shard().clients(), kDesyncClients);
  }

  [[nodiscard]] Tick now() const { return harness_->world().tick; }

  void in_room(Tick tick, ChangeTick change) {
    room_at_ = tick;
    in_room_ = std::move(change);
  }

  void in_client(std::size_t client, Tick tick, ChangeTick change) {
    in_client_.emplace(client, std::pair{tick, std::move(change)});
  }

  [[nodiscard]] BodyId body_of(std::size_t client) const { return harness_->body_of(client); }

  /// The first avatars of other players that a client sees, by id.
  [[nodiscard]] std::vector<BodyId> others_seen_by(std::size_t client) const {
    const std::uint16_t me = harness_->client(client).connection().accept().player.value;
    std::vector<BodyId> others;
    for (const views::RowHead& head : harness_->client(client).view()->heads()) {
      if (views::is_controlled(head.id) && views::owner_of(head.id).seat != me)
        others.push_back(head.id);
    }
    return others;
  }

  /// Requires: the client sees another player.
  [[nodiscard]] BodyId other_seen_by(std::size_t client) const {
    return others_seen_by(client).front();
  }

  [[nodiscard]] std::uint64_t mismatches() const {
    std::uint64_t sum = 0;
    for (const Harness::Player& player : harness_->players()) {
      sum += player.client->stats().hashes_mismatched;
    }
    return sum;
  }

  /// Nobody's view is wrong any more, and everybody gets new ones.
  void expect_mended() {
    const std::uint64_t before = mismatches();
    std::vector<std::uint64_t> received;
    for (const Harness::Player& player : harness_->players()) {
      received.push_back(player.client->snapshots_received());
    }
    harness_->run_for(std::chrono::seconds{2});
    EXPECT_EQ(mismatches(), before);
    for (std::size_t i = 0; i < received.size(); ++i) {
      EXPECT_GT(harness_->client(i).snapshots_received(), received[i] + 10) << "client " << i;
    }
  }

  GameTable game_ = open_arena();
  std::optional<ChangedGame> room_game_;
  std::deque<ChangedGame> client_games_;
  std::optional<Harness> harness_;

 private:
  Tick room_at_;
  ChangeTick in_room_;
  std::multimap<std::size_t, std::pair<Tick, ChangeTick>> in_client_;
};

[[nodiscard]] inline bool has_field(const desync::Desync& desync, std::string_view field) {
  return desync.difference && std::ranges::any_of(desync.difference->first_fields,
                                                  [&](const engine::FieldDifference& each) {
                                                    return each.field == field;
                                                  });
}

/// Whether both views are known, and equal in every bit.
[[nodiscard]] inline bool is_same(const std::optional<views::ViewState>& a,
                                  const std::optional<views::ViewState>& b, Tick tick) {
  if (!a || !b) return false;
  std::array<std::vector<std::byte>, 2> bytes;
  views::encode_view_state(*a, tick, bytes[0]);
  views::encode_view_state(*b, tick, bytes[1]);
  return bytes[0] == bytes[1];
}

/// Both ends have found the same, and have the same states to show.
inline void expect_same(const desync::Desync& server, const desync::Desync& client) {
  EXPECT_EQ(server.side, desync::DesyncSide::Server);
  EXPECT_EQ(client.side, desync::DesyncSide::Client);
  ASSERT_EQ(server.end, desync::DesyncEnd::Compared);
  ASSERT_EQ(client.end, desync::DesyncEnd::Compared);
  EXPECT_EQ(server.view, client.view);
  EXPECT_EQ(server.seat, client.seat);
  EXPECT_TRUE(is_same(server.server_view, client.server_view, server.view.tick));
  EXPECT_TRUE(is_same(server.client_view, client.client_view, server.view.tick));
  ASSERT_TRUE(server.difference && client.difference);
  EXPECT_EQ(server.difference->entity, client.difference->entity);
  EXPECT_EQ(server.difference->entities, client.difference->entities);
  EXPECT_EQ(server.difference->fields, client.difference->fields);
}

}  // namespace tickbox::tests
