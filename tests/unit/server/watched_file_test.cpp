#include "server/host/watched_file.h"

#include "tests/support/patience.h"
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

  /// Expects that no change is noticed in three intervals. The look itself is on another thread, in
  /// real time.
  void expect_no_change() {
    for (int interval = 0; interval < 3; ++interval) {
      now_ += kFileWatchInterval;
      for (int turn = 0; turn < 40; ++turn) {
        EXPECT_FALSE(watch_.has_changed(now_));
        std::this_thread::sleep_for(milliseconds{1});
      }
    }
  }

  /// Expects that a change is noticed once, however slow the machine is.
  void expect_one_change() {
    EXPECT_TRUE(tests::comes_true([this] {
      now_ += kFileWatchInterval;
      return watch_.has_changed(now_);
    }));
    expect_no_change();
  }

  os::TemporaryFolder folder_;
  std::string path_ = folder_.write("keys", "first\n");
  FileWatch watch_{path_};
  Instant now_{seconds{100}};
};

TEST_F(FileWatchTest, NoticesEachChangeOnce) {
  expect_no_change();
  (void)folder_.write("keys", "second\n");
  expect_one_change();
  (void)folder_.write("keys", "thirds\n");
  expect_one_change();  // the same size
  std::filesystem::remove(path_);
  expect_one_change();
  (void)folder_.write("keys", "second\n");
  expect_one_change();
}

TEST_F(FileWatchTest, NoticesNoChangeThatWasRead) {
  (void)folder_.write("keys", "second\n");
  watch_.set_seen(os::file_stamp(path_));
  expect_no_change();
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
  expect_no_change();
  (void)folder_.write("keys", "second\n");
  expect_one_change();
}

TEST_F(FileWatchTest, LooksNoSoonerThanItsInterval) {
  EXPECT_FALSE(watch_.has_changed(now_));
  (void)folder_.write("keys", "second\n");
  now_ += kFileWatchInterval - milliseconds{1};
  for (int turn = 0; turn < 40; ++turn) {
    EXPECT_FALSE(watch_.has_changed(now_));
    std::this_thread::sleep_for(milliseconds{1});
  }
  expect_one_change();
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
  expect_no_change();
  fs::create_directory_symlink("..v2", folder_.file("..data_tmp"));
  fs::rename(folder_.file("..data_tmp"), folder_.file("..data"));
  expect_one_change();
}

TEST(FileWatch, WithoutAFileHasNothingToNotice) {
  FileWatch watch{""};
  EXPECT_FALSE(watch.has_changed(Instant{seconds{100}}));
  EXPECT_FALSE(watch.has_changed(Instant{seconds{200}}));
}

}  // namespace
}  // namespace tickbox::server
