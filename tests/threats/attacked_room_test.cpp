// A room whose seats all have attackers, beside a room of honest clients on the same thread.

#include "tests/support/two_rooms.h"
#include "tests/threats/memory.h"
#include "tests/threats/peers/raw_peer.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kSeats = 16;
constexpr std::size_t kHonest = 4;

/// The room of the honest clients after some seconds, and what they noticed.
struct Honest {
  explicit Honest(TwoRooms& rooms) : hash(rooms.match().hash()) {
    for (std::size_t i = 0; i < kHonest; ++i) {
      stats.push_back(rooms.client(i).stats());
    }
  }

  std::uint64_t hash = 0;
  std::vector<client::ClientStats> stats;
};

void expect_same(const Honest& is, const Honest& was) {
  EXPECT_EQ(is.hash, was.hash);
  for (std::size_t i = 0; i < kHonest; ++i) {
    EXPECT_GT(is.stats[i].hashes_checked, 50U);
    EXPECT_EQ(is.stats[i].hashes_mismatched, 0U);
    EXPECT_EQ(is.stats[i].packets_lost, 0U);
    EXPECT_EQ(is.stats[i].snapshots_received, was.stats[i].snapshots_received);
    EXPECT_EQ(is.stats[i].inputs_substituted, was.stats[i].inputs_substituted);
    EXPECT_EQ(is.stats[i].snapshot_gap.quantile(999), was.stats[i].snapshot_gap.quantile(999));
  }
}

/// Honest clients play in one room. If `is_attacked`, each seat of the other has a client that
/// sends what it may and what it may not, `times` as many packets as a client sends.
Honest play(bool is_attacked, int times) {
  TwoRooms rooms{{.seed = 17, .link = {.delay = milliseconds{20}}}};
  for (std::size_t i = 0; i < kHonest; ++i) {
    rooms.add_client_of(kFirst.value);
  }
  Wire wire{rooms};
  const Instant start = rooms.now();
  std::vector<std::unique_ptr<RawPeer>> attackers;
  for (std::uint32_t i = 0; is_attacked && i < kSeats; ++i) {
    attackers.push_back(std::make_unique<RawPeer>(rooms, wire, stranger_far_away(i)));
    const auto token =
        make_token(rooms, net::KeyRing::published(), 100 + i, {.room = kSecond.value});
    EXPECT_TRUE(attackers.back()->connect(token).accepted);
    attackers.back()->send_nothing_new();
  }
  rooms.run_for(start + seconds{2} - rooms.now());
  Rng rng{5};
  const Bytes large(net::kMessageBytesMax);
  const std::uint32_t span = sized(5'000, 1'000);
  for (std::uint32_t ms = 0; ms < span; ++ms) {
    for (const auto& attacker : attackers) {
      for (int i = 0; i < times * 60 / 1'000; ++i) {
        if (rng.below(50) == 0) {
          attacker->send_sealed(net::PacketType::Input, large);
        } else {
          attacker->send_nothing_new();
        }
      }
      attacker->inbox().clear();
    }
    rooms.run_for(milliseconds{1});
  }
  if (is_attacked) {
    EXPECT_GT(rooms.shard().metrics().drops.of(net::DropReason::RateLimited), span * kSeats);
  }
  return Honest{rooms};
}

TEST(AttackedRoom, FloodsFromEachOfItsSeatsAreNotNoticedInTheOther) {
  expect_same(play(true, 100), play(false, 0));
}

/// If `is_attacked`, the players of the other room change their sticks in every tick, and
/// acknowledge views that are 0.8 s old: no plans are dearer.
Honest play_beside_dear_plans(bool is_attacked) {
  TwoRooms rooms{{.seed = 17, .player = [](std::size_t client) {
                    return client::bot_player(client < kHonest ? "wander" : "stress", client,
                                              client);
                  }}};
  for (std::size_t i = 0; i < kHonest; ++i) {
    rooms.add_client_of(kFirst.value, {.delay = milliseconds{20}});
  }
  for (std::size_t i = 0; is_attacked && i < kSeats; ++i) {
    rooms.add_client_of(kSecond.value, {.delay = milliseconds{400}});
  }
  rooms.run_for(seconds{sized(10, 4)});
  EXPECT_EQ(rooms.shard().metrics().snapshots.put_off, 0U);
  return Honest{rooms};
}

// The work of sixteen seats is far below the limit of a shard, whatever they do.
TEST(AttackedRoom, DearPlansForEachOfItsSeatsAreNotNoticedInTheOther) {
  expect_same(play_beside_dear_plans(true), play_beside_dear_plans(false));
}

}  // namespace
}  // namespace tickbox::tests
