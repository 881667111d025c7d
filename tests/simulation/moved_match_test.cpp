// A match that moves with its players, on a virtual clock: from its room to another one of the same
// server, as between two servers. The clients go on in their bodies.

#include "engine/keyframe.h"
#include "record/verify.h"
#include "tests/support/harness.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace tickbox::tests::moved_match_test {
namespace {

using client::Connection;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr RoomId kNext{7};
constexpr std::size_t kPlayers = 6;
constexpr net::LinkConditions kLossy{.delay = milliseconds{40}, .loss_ppm = 20'000};

class MovedMatch : public Harness {
 public:
  explicit MovedMatch(const HarnessOptions& options) : Harness(options) {
    for (std::size_t i = 0; i < kPlayers; ++i) {
      add_client(kLossy);
    }
    run_for(seconds{5});
  }

  ~MovedMatch() override { shard_.reset(); }

  /// Hands the clients over, and lets their match go on in another room.
  void move(const net::Address& to) {
    shard_->drain(now() + seconds{120});
    EXPECT_EQ(shard_->hand_over(to, now()), std::vector{server::kFirstRoom});
    const auto moved = shard_->freeze_match(server::kFirstRoom, now());
    ASSERT_TRUE(moved);
    EXPECT_EQ(moved->seats.size(), kPlayers);
    auto restored = engine::restore(moved->keyframe, match_->world());
    ASSERT_TRUE(restored);
    next_ = std::make_unique<server::Match>(*std::move(restored));
    EXPECT_EQ(next_->hash(), match_->hash());
    next_recorder_.emplace(*next_, header());
    next_recording_.emplace(next_sink_, header());
    next_recorder_->add(*next_recording_);
    shard_->open_room({.match = *next_, .id = kNext, .recorder = &*next_recorder_});
    shard_->seat_players(kNext, *moved, now());
    shard_->hand_over_room(server::kFirstRoom, {.server = to, .room = kNext}, now());
  }

  [[nodiscard]] const server::Match& next() const { return *next_; }

  /// Ends the server, and returns what a replay of the recording of the other room finds.
  [[nodiscard]] record::VerifyResult verify_next() {
    stop();
    next_recorder_->finish();
    EXPECT_TRUE(next_recording_->finish());
    return record::verify(record::Reader::open(next_sink_.bytes).value(), game(), map(), {});
  }

  void expect_no_desync() const {
    for (std::size_t i = 0; i < kPlayers; ++i) {
      EXPECT_EQ(client(i).connection().state(), Connection::State::Connected) << i;
      EXPECT_GT(client(i).stats().hashes_checked, 0U) << i;
      EXPECT_EQ(client(i).stats().hashes_mismatched, 0U) << i;
    }
  }

 private:
  std::unique_ptr<server::Match> next_;
  MemorySink next_sink_;
  std::optional<record::LogFile> next_recording_;
  std::optional<server::Recorder> next_recorder_;
};

TEST(MovedMatch, GoesOnWithItsPlayersInTheirBodies) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    MovedMatch moving{{.seed = seed}};
    std::array<BodyId, kPlayers> bodies{};
    for (std::size_t i = 0; i < kPlayers; ++i)
      bodies[i] = moving.body_of(i);
    const Tick tick = moving.match().world().tick;
    moving.move(SimulatedNetwork::server_address());
    moving.run_for(milliseconds{60});
    EXPECT_EQ(moving.next().world().tick, tick) << "it waits for the first player";
    moving.run_for(seconds{5});
    moving.expect_no_desync();
    EXPECT_GT(moving.next().world().tick, tick + 200);
    for (std::size_t i = 0; i < kPlayers; ++i) {
      const Connection& connection = moving.client(i).connection();
      EXPECT_EQ(connection.moved(), 1U) << i;
      EXPECT_EQ(RoomId{connection.accept().room}, kNext) << i;
      const engine::World& world = moving.next().world();
      EXPECT_EQ(world.id(world.avatar_of({connection.accept().player.value})), bodies[i]) << i;
    }
    const record::VerifyResult verified = moving.verify_next();
    EXPECT_TRUE(verified.held() && verified.complete) << "seed " << seed;
    EXPECT_EQ(verified.ticks, moving.next().world().tick - tick) << "seed " << seed;
  }
}

// Before the fix, the next DRAIN came a second later.
TEST(MovedMatch, AClientWhoseDrainIsLostIsToldAgainAtOnce) {
  MovedMatch moving{{.seed = 6}};
  moving.network().cut_down(0, true);
  moving.move(SimulatedNetwork::server_address());
  moving.run_for(milliseconds{100});
  moving.network().cut_down(0, false);
  moving.run_for(milliseconds{600});
  EXPECT_EQ(moving.client(0).connection().moved(), 1U);
}

// The other server opens the room, and then refuses each client.
TEST(MovedMatch, GoesOnHereWithThePlayersWhoReturn) {
  MovedMatch moving{{.seed = 4}};
  const Tick tick = moving.match().world().tick;
  net::Address elsewhere = SimulatedNetwork::server_address();
  ++elsewhere.port;
  moving.move(elsewhere);
  moving.run_for(seconds{5});
  moving.expect_no_desync();
  EXPECT_GT(moving.match().world().tick, tick + 100);
  for (std::size_t i = 0; i < kPlayers; ++i) {
    EXPECT_EQ(moving.client(i).connection().moved(), 0U) << i;
    EXPECT_EQ(RoomId{moving.client(i).connection().accept().room}, server::kFirstRoom) << i;
  }
  // There, players without clients leave after the usual time.
  EXPECT_EQ(moving.shard().seats_held(), 2 * kPlayers);
  moving.run_for(server::kBodyKept);
  EXPECT_EQ(moving.shard().seats_held(), kPlayers);
  EXPECT_FALSE(moving.next().world().has({0}));
}

TEST(MovedMatch, StaysIfItsGameDoesNotLetItMove) {
  Harness harness{{.seed = 5, .max_clients = kShortMatchSeats, .game = &short_match()}};
  const std::size_t player = harness.add_client();
  harness.run_for(milliseconds{500});
  harness.shard().drain(harness.now() + seconds{60});
  EXPECT_TRUE(harness.shard().hand_over(SimulatedNetwork::server_address(), harness.now()).empty());
  EXPECT_FALSE(harness.shard().freeze_match(server::kFirstRoom, harness.now()));
  harness.run_for(milliseconds{100});
  EXPECT_TRUE(harness.client(player).connection().is_moving() ||
              harness.client(player).connection().moved() == 1);
}

}  // namespace
}  // namespace tickbox::tests::moved_match_test
