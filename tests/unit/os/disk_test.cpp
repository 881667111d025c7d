// The disk of this machine: which files it lists, and which it reads.

#include "os/files/disk.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

using SystemDiskTest = FolderTest;

TEST_F(SystemDiskTest, ListsRegularFilesAlone) {
  const std::string file = folder_.write("file", "12345");
  std::filesystem::create_directory(folder_.file("folder"));
  std::filesystem::create_symlink(file, folder_.file("link"));
  const auto listed = system_disk().list(folder_.file(""));
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().path, file);
  EXPECT_EQ(listed->front().bytes, 5U);
  EXPECT_EQ(system_disk().list(folder_.file("missing")).error(), ENOENT);
}

TEST_F(SystemDiskTest, ReadsAFileOnlyOnceItIsClosed) {
  const std::string path = folder_.file("file");
  auto file = system_disk().create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->append(as_bytes_of(std::string_view{"12345"})));
  EXPECT_EQ(system_disk().read_closed(path, 100).error(), EBUSY);
  ASSERT_TRUE((*file)->close());
  EXPECT_EQ(system_disk().read_closed(path, 100).value().size(), 5U);
  EXPECT_EQ(system_disk().read_closed(path, 3).value().size(), 3U);
}

// A reader that could hold such a lock would keep a server from removing old recordings.
TEST_F(SystemDiskTest, ReadsAFileThatAReaderHasLocked) {
  const std::string path = folder_.write("file", "12345");
  const int reader = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(::flock(reader, LOCK_EX | LOCK_NB), 0);
  EXPECT_TRUE(system_disk().read_closed(path, 100));
  struct flock lock{};
  lock.l_type = F_WRLCK;
  EXPECT_EQ(::fcntl(reader, F_OFD_SETLK, &lock), -1) << "only who may write it";
  lock.l_type = F_RDLCK;
  ASSERT_EQ(::fcntl(reader, F_OFD_SETLK, &lock), 0);
  EXPECT_TRUE(system_disk().read_closed(path, 100));
  ::close(reader);
}

TEST_F(SystemDiskTest, FollowsNoLink) {
  const std::string link = folder_.file("link");
  std::filesystem::create_symlink(folder_.write("file", "12345"), link);
  EXPECT_EQ(system_disk().read_closed(link, 100).error(), ELOOP);
}

}  // namespace
}  // namespace tickbox::os
