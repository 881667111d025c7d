// How a server shares its descriptors out.

#include "server/host/admin/record_streams.h"
#include "server/host/rooms/rooms_option.h"
#include "server/host/rooms/served_room.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tickbox::server {
namespace {

constexpr std::uint64_t kFilesOfRoom = 2;

Options recorded(std::uint32_t rooms) {
  return {.rooms = {{.count = rooms}}, .record = "records"};
}

std::uint64_t without_recordings() {
  return files_wanted({}) - kLogStreamsMax;
}

TEST(FileShares, GiveEveryStreamAndEveryRoomItsOwnWhenThereAreEnough) {
  for (const Options& options : {Options{}, recorded(1), recorded(kRoomsMax)}) {
    const auto shares = share_files(options, files_wanted(options));
    ASSERT_TRUE(shares) << shares.error();
    EXPECT_EQ(shares->rooms, kRoomsMax);
    EXPECT_EQ(shares->log_streams, kLogStreamsMax);
  }
}

TEST(FileShares, NeverGiveOutMoreThanThereAre) {
  int enough = 0;
  for (const std::uint32_t rooms : {1U, 70U, 250U, 1'024U}) {
    for (std::uint64_t limit = 0; limit < 4'000; limit += 7) {
      const auto shares = share_files(recorded(rooms), limit);
      const bool fits = without_recordings() + kFilesOfRoom * rooms <= limit;
      ASSERT_EQ(shares.has_value(), fits) << limit;
      if (!fits) continue;
      ++enough;
      EXPECT_GE(shares->rooms, rooms);
      EXPECT_LE(without_recordings() + kFilesOfRoom * shares->rooms + shares->log_streams, limit);
    }
  }
  EXPECT_GT(enough, 1'000);
}

TEST(FileShares, OfAThousandDescriptors) {
  const auto few = share_files(recorded(1), 1'024);
  EXPECT_EQ(few->log_streams, kLogStreamsMax);
  EXPECT_EQ(few->rooms, 298U) << "as the page says";
  const auto many = share_files(recorded(250), 1'024);
  EXPECT_GE(many->rooms, 250U);
  EXPECT_LT(many->log_streams, kLogStreamsMax);
  EXPECT_EQ(share_files({}, 1'024)->rooms, kRoomsMax) << "nothing is recorded";
  EXPECT_EQ(share_files({}, 10)->log_streams, 0U);
}

TEST(FileShares, TooFewAreNamedWithWhatToTry) {
  const std::string why = share_files(recorded(1'024), 1'024).error();
  const std::uint64_t needed = without_recordings() + kFilesOfRoom * 1'024;
  for (const std::string& word : {std::string{"1024 recorded rooms"}, std::to_string(needed),
                                  std::string{"ulimit -Hn"}, std::string{"enough for 426"}}) {
    EXPECT_TRUE(why.contains(word)) << why;
  }
}

}  // namespace
}  // namespace tickbox::server
