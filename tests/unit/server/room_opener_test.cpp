// How a server opens rooms: when it makes their maps, which of them writes the page of a game, and
// the sizes at which their files end.

#include "games/arena/arena.h"
#include "server/host/rooms/rooms_option.h"
#include "server/host/rooms/served_room.h"
#include "tests/support/virtual_time.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>

namespace tickbox::server {
namespace {

constexpr std::uint64_t kMiB = 1'048'576;

class NoLog final : public Log {
 public:
  void event(Severity /*severity*/, const LogEvent& /*event*/) override {}
};

/// Opens rooms of the arena, and counts the maps that are made.
class RoomOpenerTest : public os::FolderTest {
 protected:
  RoomOpenerTest() {
    maps_made = 0;
    game_.map = [](MapBuilder& builder, const MapOptions& options) {
      ++maps_made;
      games::arena().map(builder, options);
    };
  }

  static inline int maps_made = 0;

  tests::VirtualClock clock_;
  tests::VirtualCalendar calendar_{clock_};
  tests::SeededEntropy entropy_{1};
  NoLog log_;
  GameTable game_ = games::arena();
  std::array<const GameTable*, 1> games_{&game_};
  Options options_{.page = "<html>", .game = "arena", .max_clients = 4};
  RecordingFolder recordings_{recording_folder_of(options_)};
  RoomOpener rooms_{
      options_,
      games_,
      {.calendar = calendar_, .entropy = entropy_, .log = log_, .folder = recordings_}};
};

// Before the fix, the main thread made the map of each room that an order opens: signals and the
// messages to the service manager waited meanwhile.
TEST_F(RoomOpenerTest, AMapIsMadeWhenItsFirstRoomIsOpened) {
  const auto first = rooms_.plan("arena", "");
  const auto second = rooms_.plan("arena", "");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(maps_made, 0);
  const auto opened = rooms_.open(*first);
  ASSERT_TRUE(opened) << opened.error().why;
  const int made = maps_made;
  EXPECT_GT(made, 0);
  const auto shares = rooms_.open(*second);
  ASSERT_TRUE(shares) << shares.error().why;
  EXPECT_EQ(maps_made, made);
  EXPECT_EQ((*shares)->of, (*opened)->of);
}

// Before the fix, no room wrote the page of a game once its first room had failed to open.
TEST_F(RoomOpenerTest, TheFirstRoomThatOpensWritesThePage) {
  options_.record = folder_.file("later/recordings");
  RecordingFolder recordings{recording_folder_of(options_)};
  RoomOpener rooms{options_,
                   games_,
                   {.calendar = calendar_, .entropy = entropy_, .log = log_, .folder = recordings}};
  EXPECT_FALSE(rooms.open(*rooms.plan("arena", "")));
  std::filesystem::create_directory(folder_.file("later"));
  const auto opened = rooms.open(*rooms.plan("arena", ""));
  ASSERT_TRUE(opened) << opened.error().why;
  (*opened)->recordings->recorder().finish();
  ASSERT_TRUE((*opened)->recordings->close());
  EXPECT_TRUE(std::ranges::any_of(os::files_in(options_.record), [](const std::string& path) {
    return path.contains("/view-arena-");
  }));
}

// Before the fix, only the rooms of the start shared the limit, and those opened later could take
// several times as much.
TEST(RoomsMax, HaveFilesThatFitInTheLimitTogether) {
  for (const std::uint64_t limit : {kMiB, 100 * kMiB, 256 * kMiB, 1'024 * kMiB, 102'400 * kMiB}) {
    const Options options{.record_max_bytes = limit};
    std::uint64_t bytes = 0;
    for (std::uint64_t room = 1; room <= rooms_max(options); ++room) {
      bytes += part_bytes_of(options, room);
    }
    EXPECT_LE(bytes, limit);
  }
  EXPECT_EQ(rooms_max({.record_max_bytes = 100 * kMiB}), 400U);
  EXPECT_EQ(rooms_max({}), kRoomsMax);
}

}  // namespace
}  // namespace tickbox::server
