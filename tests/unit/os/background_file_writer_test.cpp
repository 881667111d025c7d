#include "os/files/background_file_writer.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tickbox::os {
namespace {

namespace fs = std::filesystem;

using BackgroundFileWriterTest = FolderTest;

constexpr Instant kStart{std::chrono::hours{5}};

// Before the fix, a mistyped path made all of its directories.
TEST_F(BackgroundFileWriterTest, MakesTheLastDirectoryOfItsPathAlone) {
  const auto writer =
      BackgroundFileWriter::open({.folder = folder_.file("mistyped/dir"), .flag = "--x"});
  ASSERT_FALSE(writer);
  EXPECT_TRUE(writer.error().contains("its parent directory does not exist")) << writer.error();
  EXPECT_FALSE(fs::exists(folder_.file("mistyped")));
}

TEST_F(BackgroundFileWriterTest, WritesEachWholeByTheTimeItIsClosed) {
  {
    const auto writer = BackgroundFileWriter::open({.folder = folder_.file("made"), .flag = "--x"});
    ASSERT_TRUE(writer) << writer.error();
    EXPECT_TRUE((*writer)->write("a.json", [] { return std::string(100'000, 'a'); }, kStart));
    EXPECT_TRUE((*writer)->write("b.json", [] { return std::string{"b"}; }, kStart));
  }
  EXPECT_EQ(text_of(folder_.file("made/a.json")), std::string(100'000, 'a'));
  EXPECT_EQ(text_of(folder_.file("made/b.json")), "b");
  EXPECT_EQ(files_in(folder_.file("made")).size(), 2U) << "and nothing else is left there";
}

TEST_F(BackgroundFileWriterTest, OverwritesNothing) {
  BackgroundFileWriterStats stats;
  {
    const auto writer = BackgroundFileWriter::open({.folder = folder_.file(""), .flag = "--x"});
    ASSERT_TRUE(writer) << writer.error();
    (void)folder_.write("a", "before");
    EXPECT_TRUE((*writer)->write("a", [] { return std::string{"after"}; }, kStart));
    while ((stats = (*writer)->stats()).failed == 0) {
    }
  }
  EXPECT_EQ(text_of(folder_.file("a")), "before");
  EXPECT_NE(stats.failure.find(folder_.file("a")), std::string::npos) << stats.failure;
}

TEST_F(BackgroundFileWriterTest, LeavesOutWhatIsBeyondAnHoursAndAProcesssLimit) {
  BackgroundFileWriterStats stats;
  {
    const auto writer = BackgroundFileWriter::open(
        {.folder = folder_.file(""), .flag = "--x", .files_max = 5, .files_per_hour_max = 3});
    ASSERT_TRUE(writer) << writer.error();
    int number = 0;
    const auto taken = [&](Instant now) {
      return (*writer)->write(std::to_string(number++), [] { return std::string{}; }, now);
    };
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(taken(kStart));
    }
    EXPECT_FALSE(taken(kStart + std::chrono::minutes{59}));
    EXPECT_TRUE(taken(kStart + std::chrono::minutes{60}));
    EXPECT_TRUE(taken(kStart + std::chrono::minutes{61}));
    EXPECT_FALSE(taken(kStart + std::chrono::minutes{62})) << "the sixth of the process";
    EXPECT_FALSE(taken(kStart + std::chrono::hours{9}));
    stats = (*writer)->stats();
  }
  EXPECT_EQ(files_in(folder_.file("")).size(), 5U);
  EXPECT_EQ(stats.left_out, 3U);
}

TEST_F(BackgroundFileWriterTest, KeepsHalfOfTheLimitsForWhatMayUseTheWhole) {
  const auto writer = BackgroundFileWriter::open(
      {.folder = folder_.file(""), .flag = "--x", .files_max = 6, .files_per_hour_max = 4});
  ASSERT_TRUE(writer) << writer.error();
  int number = 0;
  const auto taken = [&](FileShare share, Instant now) {
    return (*writer)->write(std::to_string(number++), [] { return std::string{}; }, now, share);
  };
  EXPECT_TRUE(taken(FileShare::Half, kStart));
  EXPECT_TRUE(taken(FileShare::Half, kStart));
  EXPECT_FALSE(taken(FileShare::Half, kStart)) << "two of four an hour";
  EXPECT_TRUE(taken(FileShare::Whole, kStart));
  const Instant later = kStart + std::chrono::hours{1};
  EXPECT_FALSE(taken(FileShare::Half, later)) << "three of six in all";
  EXPECT_TRUE(taken(FileShare::Whole, later));
  (*writer)->leave_out();
  EXPECT_EQ((*writer)->stats().left_out, 3U);
}

TEST_F(BackgroundFileWriterTest, SaysAtOnceThatAFolderIsNone) {
  const std::string file = folder_.write("file", "x");
  for (const std::string& bad : {file, file + "/below"}) {
    const auto writer = BackgroundFileWriter::open({.folder = bad, .flag = "--desync-dir"});
    ASSERT_FALSE(writer) << bad;
    EXPECT_NE(writer.error().find(bad), std::string::npos) << writer.error();
    EXPECT_NE(writer.error().find("--desync-dir"), std::string::npos) << writer.error();
  }
}

}  // namespace
}  // namespace tickbox::os
