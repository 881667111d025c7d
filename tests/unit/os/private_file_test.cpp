// Files of secrets: who may read them, and that they are there whole or not at all.

#include "os/files/private_file.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <sys/resource.h>

namespace tickbox::os {
namespace {

namespace fs = std::filesystem;

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

/// While it lives, a disk that has room for so many bytes of each file.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    EXPECT_EQ(getrlimit(RLIMIT_FSIZE, &before_), 0);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    EXPECT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  }

  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

TEST(PrivateFile, OnlyItsOwnerMayReadIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("keys");
  const mode_t before = umask(0);
  const auto made = create_private_file(path, as_bytes_of(std::string{"secret"}));
  umask(before);
  ASSERT_TRUE(made) << made.error();
  EXPECT_EQ(text_of(path), "secret");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(files_in(folder.file("")), 1U) << "nothing else is left beside it";
}

TEST(PrivateFile, ANewOneIsNeverPutOverAnother) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  const std::string dangling = folder.file("link");
  fs::create_symlink(folder.file("nowhere"), dangling);
  for (const std::string& taken : {path, dangling}) {
    const auto made = create_private_file(taken, as_bytes_of(std::string{"new"}));
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(),
              "cannot write " + taken + ": file exists; name a new file, or move that one away");
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_FALSE(fs::exists(folder.file("nowhere")));
  EXPECT_EQ(files_in(folder.file("")), 2U);
}

TEST(PrivateFile, ReplacingMakesOneWhereThereIsNone) {
  const TemporaryFolder folder;
  for (const Access access : {Access::OwnerOnly, Access::AsBefore}) {
    const std::string path = folder.file(access == Access::OwnerOnly ? "a" : "b");
    ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), access));
    EXPECT_EQ(text_of(path), "new");
    EXPECT_EQ(mode_of(path), 0600U);
  }
}

TEST(PrivateFile, ReplacingKeepsTheModeOrTakesItAway) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old, and longer");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), Access::AsBefore));
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(mode_of(path), 0640U);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"newer"}), Access::OwnerOnly));
  EXPECT_EQ(text_of(path), "newer");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(files_in(folder.file("")), 1U);
}

TEST(PrivateFile, ReplacingKeepsTheOwnerToo) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a file of somebody else";
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  ASSERT_EQ(chown(path.c_str(), 65532, 65532), 0);
  ASSERT_TRUE(replace_private_file(path, as_bytes_of(std::string{"new"}), Access::AsBefore));
  struct stat status{};
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_uid, 65532U);
  EXPECT_EQ(status.st_gid, 65532U);
}

// A renamed file would take the place of the link, and whoever reads where it led would see nothing
// new.
TEST(PrivateFile, ReplacingFollowsALink) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  const std::string link = folder.file("link");
  fs::create_symlink("keys", link);
  ASSERT_TRUE(replace_private_file(link, as_bytes_of(std::string{"new"}), Access::AsBefore));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(path), "new");
}

TEST(PrivateFile, AFullDiskLosesNothing) {
  const TemporaryFolder folder;
  const std::string path = folder.write("keys", "old");
  const std::string text(1'000, 'n');
  {
    const SmallDisk disk{100};
    EXPECT_FALSE(replace_private_file(path, as_bytes_of(text), Access::AsBefore));
    EXPECT_FALSE(create_private_file(folder.file("new"), as_bytes_of(text)));
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_EQ(files_in(folder.file("")), 1U);
}

TEST(PrivateFile, SaysWhyInOneLine) {
  const TemporaryFolder folder;
  const std::string path = folder.file("missing/keys");
  const auto made = create_private_file(path, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(),
            "cannot write " + path + ": no such file or directory; its folder must exist");
  const auto replaced = replace_private_file(folder.file(""), {}, Access::OwnerOnly);
  ASSERT_FALSE(replaced);
  EXPECT_TRUE(replaced.error().contains("no regular file")) << replaced.error();
}

}  // namespace
}  // namespace tickbox::os
