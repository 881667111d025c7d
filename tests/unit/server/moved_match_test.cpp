// The document of a match that moves, and what a server does not take.

#include "engine/keyframe.h"
#include "games/arena/arena.h"
#include "games/bomber/bomber.h"
#include "os/process/steady_clock.h"
#include "server/host/rooms/match_document.h"
#include "server/host/rooms/served_room.h"
#include "server/match/match.h"
#include "server/shard/hosted_room.h"
#include "tests/support/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tickbox::server::moved_match_test {
namespace {

constexpr std::uint32_t kSeats = 4;
constexpr std::uint32_t kRate = 60;

/// A match of the arena after some ticks, with players in seats 0 and 2.
MovedMatch moved_match() {
  Match match{games::arena(), engine::make_map(games::arena(), {.seats = kSeats}, kRate), kRate, 1};
  HostedRoom room{{.match = match}, kSeats, kRate};
  Metrics metrics;
  for (const std::uint16_t seat : std::array<std::uint16_t, 2>{0, 2}) {
    Seat& held = room.seats().seat_of({seat});
    room.seats().hold(held, 70U + seat);
    held.key_id = 3;
    held.user.resize(2);
    held.orphaned = Instant{};
  }
  for (int tick = 0; tick < 9; ++tick) {
    room.step(metrics);
  }
  MovedMatch moved = room.moved_match();
  moved.departures = {{.client = 5, .tick = {4}}};
  return moved;
}

/// What a server of the arena with these options answers to a document: 201, or a refusal.
class ArrivalTest : public testing::Test {
 protected:
  ArrivalTest() {
    options_.game = "arena";
    options_.max_clients = kSeats;
  }

  static unsigned refused(const RoomFault& fault, const std::string& words) {
    EXPECT_TRUE(fault.why.contains(words)) << fault.why;
    EXPECT_FALSE(fault.why.contains('\n')) << fault.why;
    return fault.status;
  }

  [[nodiscard]] unsigned answer_to(ConstBytes document, const std::string& words = {}) {
    const std::array<const GameTable*, 1> games{&games::arena()};
    RoomOpener opener{
        options_,
        games,
        {.calendar = calendar_, .entropy = entropy_, .log = log_, .folder = recordings_}};
    const auto plan = opener.plan_match(document);
    if (!plan) return refused(plan.error(), words);
    const auto opened = opener.open(*plan);
    return opened ? 201 : refused(opened.error(), words);
  }

  [[nodiscard]] unsigned answer_to(const std::function<void(MovedMatch&)>& change,
                                   const std::string& words) {
    MovedMatch match = moved_match();
    change(match);
    return answer_to(encode_match(match), words);
  }

  Options options_;
  os::SystemCalendar calendar_;
  tests::SeededEntropy entropy_{1};
  tests::MemoryLog log_;
  RecordingFolder recordings_{recording_folder_of(options_)};
};

TEST(MatchDocument, IsReadAsItWasWritten) {
  const MovedMatch match = moved_match();
  const std::vector<std::byte> document = encode_match(match);
  const auto read = decode_match(document);
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->identity, match.identity);
  ASSERT_EQ(read->seats.size(), 2U);
  EXPECT_EQ(read->seats[1].player, PlayerId{2});
  EXPECT_EQ(read->seats[1].client, 72U);
  EXPECT_EQ(read->seats[1].key_id, 3U);
  EXPECT_EQ(read->seats[1].user.size(), 2U);
  EXPECT_EQ(read->keyframe, match.keyframe);
  EXPECT_EQ(encode_match(*read), document);
}

TEST_F(ArrivalTest, GoesOnInARoom) {
  EXPECT_EQ(answer_to(encode_match(moved_match())), 201U);
}

TEST_F(ArrivalTest, RefusesWhatIsCutOffOrDamaged) {
  const std::vector<std::byte> document = encode_match(moved_match());
  for (std::size_t bytes = 0; bytes < document.size(); ++bytes) {
    EXPECT_NE(answer_to(ConstBytes{document}.first(bytes)), 201U) << bytes;
  }
  std::vector<std::byte> longer = document;
  longer.push_back(std::byte{0});
  EXPECT_EQ(answer_to(longer, "the world of the match is damaged"), 400U);
  std::vector<std::byte> other = document;
  other[3] = std::byte{9};
  EXPECT_EQ(answer_to(other, "another version of the server"), 400U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.keyframe[5] ^= std::byte{1}; }, "damaged"),
            400U);
}

TEST_F(ArrivalTest, RefusesSeatsThatAreNotThoseOfTheWorld) {
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.seats[1].player = {3}; }, "its seats"), 400U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.seats[1].player = {900}; }, "its seats"), 400U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.seats[1].player = {0}; }, "damaged"), 400U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.departures[0].tick = {99}; }, "its seats"),
            400U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.seats.resize(5'000); }, "damaged"), 400U);
}

TEST_F(ArrivalTest, RefusesAnotherBuildAndOtherOptions) {
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.identity.game = "chess"; }, "chess"), 409U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { ++match.identity.version; }, "same build"), 409U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { ++match.identity.game_hash; }, "rules differ"), 409U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { ++match.identity.map_hash; }, "another map"), 409U);
  EXPECT_EQ(answer_to([](MovedMatch& match) { match.tick_rate = 30; }, "--tick-rate"), 409U);
  options_.max_clients = kSeats + 1;
  EXPECT_EQ(answer_to(encode_match(moved_match()), "--max-clients"), 409U);
}

}  // namespace
}  // namespace tickbox::server::moved_match_test
