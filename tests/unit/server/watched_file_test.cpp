#include "server/host/watched_file.h"

#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <pthread.h>
#include <system_error>
#include <thread>

namespace tickbox::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A watch in virtual time, of a file that exists.
class FileWatchTest : public testing::Test {
 protected:
  FileWatchTest() { watch_.set_seen(os::file_stamp(path_)); }

  /// Returns how often a change was noticed, in three intervals.
  int changes() {
    int count = 0;
    for (int interval = 0; interval < 3; ++interval) {
      now_ += kFileWatchInterval;
      // The look itself is on another thread, in real time.
      for (int turn = 0; turn < 40; ++turn) {
        count += watch_.has_changed(now_) ? 1 : 0;
        std::this_thread::sleep_for(milliseconds{1});
      }
    }
    return count;
  }

  os::TemporaryFolder folder_;
  std::string path_ = folder_.write("keys", "first\n");
  FileWatch watch_{path_};
  Instant now_{seconds{100}};
};

TEST_F(FileWatchTest, NoticesEachChangeOnce) {
  EXPECT_EQ(changes(), 0);
  (void)folder_.write("keys", "second\n");
  EXPECT_EQ(changes(), 1);
  (void)folder_.write("keys", "thirds\n");
  EXPECT_EQ(changes(), 1) << "the same size";
  std::filesystem::remove(path_);
  EXPECT_EQ(changes(), 1) << "missing";
  (void)folder_.write("keys", "second\n");
  EXPECT_EQ(changes(), 1) << "there again";
}

TEST_F(FileWatchTest, NoticesNoChangeThatWasRead) {
  (void)folder_.write("keys", "second\n");
  watch_.set_seen(os::file_stamp(path_));
  EXPECT_EQ(changes(), 0);
}

/// Lets no thread be made meanwhile: none has room for such a stack.
class NoFurtherThread {
 public:
  NoFurtherThread() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 50);
    pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }

  ~NoFurtherThread() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

  NoFurtherThread(const NoFurtherThread&) = delete;
  NoFurtherThread& operator=(const NoFurtherThread&) = delete;

 private:
  pthread_attr_t before_;
};

// Before the fix, a full limit of processes ended the server ten seconds later.
TEST_F(FileWatchTest, NoticesChangesWhereNoThreadCanBeMade) {
  const NoFurtherThread none;
  EXPECT_THROW(std::thread{[] {}}.detach(), std::system_error);
  EXPECT_EQ(changes(), 0);
  (void)folder_.write("keys", "second\n");
  EXPECT_EQ(changes(), 1);
}

TEST_F(FileWatchTest, LooksNoSoonerThanItsInterval) {
  EXPECT_FALSE(watch_.has_changed(now_));
  (void)folder_.write("keys", "second\n");
  now_ += kFileWatchInterval - milliseconds{1};
  for (int turn = 0; turn < 40; ++turn) {
    EXPECT_FALSE(watch_.has_changed(now_));
    std::this_thread::sleep_for(milliseconds{1});
  }
  EXPECT_EQ(changes(), 1);
}

// Kubernetes mounts a Secret as keys -> ..data/keys, and ..data -> a folder with the time in its
// name. It replaces ..data by a rename.
TEST_F(FileWatchTest, NoticesASymlinkThatPointsElsewhere) {
  namespace fs = std::filesystem;
  for (const char* const version : {"..v1", "..v2"}) {
    fs::create_directory(folder_.file(version));
    (void)folder_.write(std::string{version} + "/ring", "same\n");
  }
  fs::create_directory_symlink("..v1", folder_.file("..data"));
  fs::create_symlink("..data/ring", folder_.file("ring"));
  watch_ = FileWatch{folder_.file("ring")};
  watch_.set_seen(os::file_stamp(folder_.file("ring")));
  EXPECT_EQ(changes(), 0);
  fs::create_directory_symlink("..v2", folder_.file("..data_tmp"));
  fs::rename(folder_.file("..data_tmp"), folder_.file("..data"));
  EXPECT_EQ(changes(), 1);
}

TEST(FileWatch, WithoutAFileHasNothingToNotice) {
  FileWatch watch{""};
  EXPECT_FALSE(watch.has_changed(Instant{seconds{100}}));
  EXPECT_FALSE(watch.has_changed(Instant{seconds{200}}));
}

}  // namespace
}  // namespace tickbox::server
