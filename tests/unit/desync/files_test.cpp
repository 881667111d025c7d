// Which desyncs get a file, and that each file is there whole or not at all.

#include "desync/files.h"

#include "desync/document.h"
#include "os/process/steady_clock.h"
#include "tests/unit/desync/sample.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>

namespace tickbox::desync {
namespace {

constexpr std::uint64_t kClient = 7;
constexpr Instant kStart{std::chrono::hours{5}};

Desync desync_of(std::optional<std::uint64_t> client, const std::string& field,
                 const std::string& subject = "Hero #1") {
  Desync desync;
  desync.client = client;
  desync.difference =
      engine::WorldDifference{.entities = 1,
                              .fields = 1,
                              .entity = BodyId{1},
                              .subject = subject,
                              .first_fields = {{.field = field, .expected = "1", .got = "2"}}};
  return desync;
}

/// Takes files for desyncs of a fault until there are no more, and returns how many.
std::size_t take_all(Quota& quota, const Desync& desync, Instant now) {
  std::size_t files = 0;
  while (quota.count(desync, now))
    ++files;
  return files;
}

TEST(Quota, AFaultLeavesHalfOfTheFilesToOthers) {
  Quota quota;
  EXPECT_EQ(take_all(quota, desync_of({}, "ammo[0]"), kStart), kDesyncFilesPerHourMax / 2);
  EXPECT_FALSE(quota.count(desync_of({}, "ammo[3]", "Hero #2"), kStart)) << "the same fault";
  EXPECT_TRUE(quota.count(desync_of({}, "ammo[0]", "Coin #1"), kStart));
  EXPECT_TRUE(quota.count(desync_of({}, "x"), kStart));
  EXPECT_FALSE(quota.count(desync_of({}, "x"), kStart));
  EXPECT_TRUE(quota.count({}, kStart)) << "without a difference: a fault of its own";
  EXPECT_FALSE(quota.count({}, kStart));
}

TEST(Quota, LeavesOutWhatIsBeyondAnHoursAndAProcesssLimit) {
  Quota quota;
  std::size_t files = 0;
  const auto take_new = [&](Instant now) {
    const bool is_taken = quota.count(desync_of({}, std::to_string(files)), now);
    files += is_taken ? 1U : 0U;
    return is_taken;
  };
  for (Instant now = kStart; files < kDesyncFilesMax; now += std::chrono::hours{1}) {
    const std::size_t before = files;
    while (take_new(now)) {
    }
    EXPECT_LE(files - before, kDesyncFilesPerHourMax);
    EXPECT_FALSE(take_new(now + std::chrono::minutes{59}));
  }
  EXPECT_EQ(files, kDesyncFilesMax);
  EXPECT_FALSE(take_new(kStart + std::chrono::hours{99}));
}

TEST(Quota, AClientHasFilesOfItsOwnAndNoMore) {
  Quota quota;
  EXPECT_EQ(take_all(quota, desync_of(kClient, "x"), kStart), kFilesOfClientMax);
  EXPECT_FALSE(quota.count(desync_of(kClient, "y"), kStart));
  EXPECT_TRUE(quota.count(desync_of(kClient + 1, "y"), kStart));
  EXPECT_GT(take_all(quota, desync_of(std::nullopt, "x"), kStart), kFilesOfClientMax)
      << "a program's own desyncs have no client";
}

class DesyncFilesTest : public os::FolderTest {
 protected:
  const os::SteadyClock clock_;
};

TEST_F(DesyncFilesTest, MakesTheLastDirectoryOfItsPathAlone) {
  const auto files = Files::open(folder_.file("mistyped/dir"), clock_);
  ASSERT_FALSE(files);
  EXPECT_TRUE(files.error().contains("its parent directory does not exist")) << files.error();
  EXPECT_TRUE(files.error().contains("--desync-dir")) << files.error();
  EXPECT_FALSE(std::filesystem::exists(folder_.file("mistyped")));
}

TEST_F(DesyncFilesTest, WritesEachWholeByTheTimeItIsClosed) {
  Desync desync = samples::desync();
  {
    const auto files = Files::open(folder_.file("made"), clock_);
    ASSERT_TRUE(files) << files.error();
    (*files)->record(desync);
    desync.seat = {9};
    (*files)->record(desync);
    EXPECT_EQ((*files)->stats().left_out, 0U);
  }
  const auto names = os::files_in(folder_.file("made"));
  ASSERT_EQ(names.size(), 2U) << "and nothing else is left there";
  for (const std::string& name : names) {
    desync.seat.value = name.contains("seat9") ? 9 : 3;
    EXPECT_EQ(os::text_of(name), to_json(desync, cli::build_info()));
  }
}

TEST_F(DesyncFilesTest, CountsWhatTheDiskRefuses) {
  const auto files = Files::open(folder_.file("gone"), clock_);
  ASSERT_TRUE(files) << files.error();
  std::filesystem::remove(folder_.file("gone"));
  (*files)->record(samples::desync());
  while ((*files)->stats().failed == 0) {
  }
  EXPECT_EQ((*files)->stats().written, 0U);
}

}  // namespace
}  // namespace tickbox::desync
