// A room without players: its ticks pass, and its world is not stepped. Clients that come back find
// it as it was left, and the recording replays.

#include "core/rng.h"
#include "engine/keyframe.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "record/verify.h"
#include "tests/simulation/stepped_match.h"
#include "tests/support/harness.h"
#include "tests/support/menagerie.h"
#include "tests/support/recorded_match.h"
#include "tests/support/short_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::tests {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint64_t decided = 0;
const GameTable* decides = nullptr;

/// Counts the ticks in which a game decides.
void count_decide(detail::Running& running) {
  ++decided;
  if (decides->decide != nullptr) decides->decide(running);
}

/// The same game, whose hook decide() is counted from now on.
GameTable counted(const GameTable& game) {
  decided = 0;
  decides = &game;
  GameTable table = game;
  table.decide = &count_decide;
  return table;
}

std::size_t players_in(const engine::World& world) {
  return static_cast<std::size_t>(std::ranges::count_if(world.seats(), &engine::SeatInfo::taken));
}

/// All of a world but its tick. Ids have ages as of the tick.
std::vector<std::byte> content_of(engine::World world) {
  world.tick = {UINT32_MAX};
  std::vector<std::byte> bytes;
  engine::encode_keyframe(world, bytes);
  return bytes;
}

/// A room that compares each of its ticks with the one before.
class Room : public Harness {
 public:
  explicit Room(const HarnessOptions& options)
      : Harness(options), before_(content_of(world())), hashes_{match().hash()} {}

  /// The lengths of the idle stretches, in ticks. The last one may go on.
  [[nodiscard]] const std::vector<std::uint32_t>& stretches() const { return stretches_; }

  [[nodiscard]] std::uint64_t stepped() const { return stepped_; }

  /// The state hash after each tick, from tick 0 on.
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }

 protected:
  void tick() override {
    const bool was_empty = players_in(world()) == 0 && !match().record().closes_match();
    const Tick last = world().tick;
    Harness::tick();
    const bool is_idle = match().record().is_idle;
    ASSERT_EQ(world().tick, last + 1);
    ASSERT_EQ(is_idle, was_empty && players_in(world()) == 0) << last.value + 1;
    ASSERT_EQ(match().hash(), engine::state_hash(world())) << last.value + 1;
    hashes_.push_back(match().hash());
    std::vector<std::byte> now = content_of(world());
    if (is_idle) {
      ASSERT_EQ(now, before_) << last.value + 1;
      if (!is_idle_) stretches_.push_back(0);
      ++stretches_.back();
    } else {
      ++stepped_;
    }
    is_idle_ = is_idle;
    before_ = std::move(now);
  }

 private:
  std::vector<std::byte> before_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> stretches_;
  std::uint64_t stepped_ = 0;
  bool is_idle_ = false;
};

record::VerifyResult verified(const Harness& harness, ConstBytes file) {
  return record::verify(record::Reader::open(file).value(), harness.game(), harness.map(),
                        {.twice = true});
}

/// Expects that a closed recording has each tick with the hash that the room had.
void expect_recorded(const Room& room) {
  const record::VerifyResult result = verified(room, room.recording());
  EXPECT_TRUE(result.held() && result.complete);
  EXPECT_EQ(result.ticks, room.world().tick.value);
  record::Reader reader = record::Reader::open(room.recording()).value();
  for (auto item = reader.next(); item != record::Reader::Item::Finished; item = reader.next()) {
    if (item != record::Reader::Item::Ticks) continue;
    for (const record::EncodedTick& tick : reader.ticks()) {
      if (tick.state_hash) {
        ASSERT_EQ(*tick.state_hash, room.hashes()[tick.tick.value]) << tick.tick.value;
      }
    }
  }
}

/// Clients that come, leave, lose their process and come back with another token, as the seed says.
class Visitors {
 public:
  Visitors(Harness& harness, std::uint64_t seed) : harness_(harness), rng_(seed) {}

  void run(int turns) {
    for (int turn = 0; turn < turns; ++turn) {
      act();
      constexpr std::array<int, 6> kPauses{17, 50, 200, 500, 1'300, 2'600};
      harness_.run_for(milliseconds{kPauses.at(rng_.below(kPauses.size()))});
    }
    for (std::size_t client = 0; client < harness_.players().size(); ++client) {
      count(client);
    }
  }

  /// The hashes of views that clients have compared until run() has ended.
  [[nodiscard]] std::uint64_t checked() const { return checked_; }

  [[nodiscard]] std::uint64_t mismatched() const { return mismatched_; }

 private:
  static constexpr std::size_t kClients = 3;
  static constexpr std::uint64_t kFirstId = 500;

  void leave_all() {
    for (std::size_t client = 0; client < harness_.players().size(); ++client) {
      if (is_connected(client)) harness_.leave(client);
    }
    harness_.run_for(milliseconds{200});
  }

  [[nodiscard]] bool is_connected(std::size_t client) const {
    return harness_.client(client).connection().state() == client::Connection::State::Connected;
  }

  /// Counts what a client has compared, before its process ends.
  void count(std::size_t client) {
    checked_ += harness_.client(client).stats().hashes_checked;
    mismatched_ += harness_.client(client).stats().hashes_mismatched;
  }

  void act() {
    const std::uint64_t what = rng_.below(8);
    const std::size_t client = rng_.below(kClients);
    if (what < 3) return leave_all();
    if (client >= harness_.players().size()) {
      harness_.add_client({.delay = milliseconds{rng_.below(60)}, .loss_ppm = 50'000},
                          harness_.make_token(kFirstId + harness_.players().size()));
    } else if (is_connected(client)) {
      if (what < 5) harness_.leave(client);
    } else if (harness_.client(client).connection().state() == client::Connection::State::Closed) {
      count(client);
      harness_.restart_client(client, {.server = SimulatedNetwork::server_address(),
                                       .token = harness_.make_token(kFirstId + client)});
    }
  }

  Harness& harness_;
  Rng rng_;
  std::uint64_t checked_ = 0;
  std::uint64_t mismatched_ = 0;
};

/// What the matches of a game had.
struct Had {
  std::vector<std::uint32_t> stretches;
  std::uint64_t hashes_checked = 0;
};

/// Plays a match with idle stretches, and checks all of it.
void play(const GameTable& game, std::uint64_t seed, Had& had) {
  SCOPED_TRACE(std::string{game.name} + ", seed " + std::to_string(seed));
  const GameTable table = counted(game);
  Room room{{.seed = seed, .max_clients = 4, .game = &table, .client_game = [&game](std::size_t) {
               return &game;
             }}};
  decided = 0;  // the hash of the game has stepped a match of its own
  room.run_for(milliseconds{600});
  EXPECT_EQ(decided, 0U) << "nobody has come yet";
  Visitors visitors{room, seed};
  visitors.run(60);
  EXPECT_EQ(decided, room.stepped());
  EXPECT_EQ(visitors.mismatched(), 0U);
  had.hashes_checked += visitors.checked();
  EXPECT_EQ(room.shard().metrics().hash_mismatches, 0U);
  room.stop();
  expect_recorded(room);
  // The records of other games have not all that their hooks asked for.
  if (&game == &games::arena() || &game == &menagerie()) step_again(room, seed, {});
  had.stretches.insert(had.stretches.end(), room.stretches().begin(), room.stretches().end());
}

TEST(IdleRoom, StandsStillAndGoesOnWithTheNextPlayer) {
  for (const GameTable* game : {&games::arena(), &games::bomber(), &menagerie(), &short_match()}) {
    Had had;
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      play(*game, seed, had);
    }
    EXPECT_GT(had.hashes_checked, 100U) << game->name;
    ASSERT_GT(had.stretches.size(), 15U) << game->name;
    EXPECT_LT(std::ranges::min(had.stretches), protocol::kTicksRemembered) << game->name;
    EXPECT_GT(std::ranges::max(had.stretches), 2 * protocol::kTicksRemembered) << game->name;
  }
}

// A player whose client was lost is in the room until its body is removed: the room is not empty.
TEST(IdleRoom, WaitsForALostClient) {
  Room room{{.max_clients = 4}};
  const std::size_t client = room.add_client();
  room.run_for(seconds{1});
  ASSERT_TRUE(room.client(client).playing());
  const std::size_t before = room.stretches().size();
  room.silence(client);
  room.run_for(seconds{30});
  EXPECT_EQ(room.stretches().size(), before);
  EXPECT_EQ(room.shard().seats_held(), 1U);
  room.run_for(seconds{10});
  EXPECT_EQ(room.shard().seats_held(), 0U);
  EXPECT_EQ(room.stretches().size(), before + 1);
}

// The next match of a room that the game has closed opens without a player, in a tick that is not
// idle; then the room stands still.
TEST(IdleRoom, OpensTheNextMatchBeforeItIsIdle) {
  Room room{{.max_clients = kShortMatchSeats, .game = &short_match()}};
  room.add_client();
  room.run_for(milliseconds{1'500});
  EXPECT_EQ(room.shard().metrics().matches_ended, 1U);
  EXPECT_EQ(room.world().rows_of_kind(kShortMatchGem), kShortMatchGems);
  EXPECT_TRUE(room.match().record().is_idle);
  const std::uint64_t stepped = room.stepped();
  room.run_for(seconds{5});
  EXPECT_EQ(room.stepped(), stepped) << "no match ends without players";
  EXPECT_EQ(room.shard().metrics().matches_ended, 1U);
  room.stop();
  expect_recorded(room);
}

// The keyframe of each minute falls into the stretch, and one of five seconds after a leave too.
TEST(IdleRoom, HasKeyframesInItsStretch) {
  Room room{{.max_clients = 4}};
  const std::size_t client = room.add_client();
  room.run_for(seconds{3});
  room.leave(client);
  room.run_for(seconds{130});
  room.stop();
  expect_recorded(room);
  std::size_t in_stretch = 0;
  bool was_idle = false;
  for (const Piece& piece : pieces(room.recording())) {
    const bool is_keyframe = piece.head.type == record::RecordType::Keyframe;
    if (is_keyframe && was_idle) ++in_stretch;
    if (!is_keyframe) was_idle = piece.head.type == record::RecordType::Idle;
  }
  EXPECT_GE(in_stretch, 3U);
}

/// Returns a recording whose records of one type are called another, under right checksums.
std::vector<std::byte> renamed(ConstBytes file, record::RecordType from, record::RecordType to) {
  std::vector<std::byte> bytes{file.begin(), file.end()};
  for (const Piece& piece : pieces(bytes)) {
    if (piece.head.type != from) continue;
    record::RecordHead head = piece.head;
    head.type = to;
    record::store_head(MutableBytes{bytes}.subspan(piece.offset), head);
  }
  rechecksum(bytes);
  return bytes;
}

// A replay that steps what the server has not stepped is found.
TEST(IdleRoom, IsNotSteppedByAReplay) {
  Room room{{.max_clients = 4, .game = &menagerie()}};
  const std::size_t client = room.add_client();
  room.run_for(seconds{3});
  room.leave(client);
  room.run_for(seconds{4});
  room.stop();
  expect_recorded(room);
  const auto stepped =
      renamed(room.recording(), record::RecordType::Idle, record::RecordType::Quiet);
  EXPECT_GT(verified(room, stepped).mismatched, 0U);
}

}  // namespace
}  // namespace tickbox::tests
