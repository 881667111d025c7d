// Real files: what was taken is there, in order, and a disk that fails leaves whole records behind.

#include "os/files/file_sink.h"

#include "core/bytes.h"
#include "os/process/steady_clock.h"
#include "tests/support/patience.h"
#include "tests/unit/os/small_disk.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tickbox::os::file_sink_test {
namespace {

using namespace std::chrono_literals;
using tests::comes_true;

std::unique_ptr<FileSink> open_sink(const FileSinkOptions& options) {
  auto sink = FileSink::create(options);
  EXPECT_TRUE(sink) << sink.error();
  return *std::move(sink);
}

bool write(FileSink& sink, std::string_view record) {
  return sink.write(as_bytes_of(record));
}

TEST(FileSink, WritesEveryRecordInOrder) {
  const TemporaryFolder folder;
  const auto sink = open_sink({.path = folder.file("a")});
  std::string all;
  for (int i = 0; i < 5'000; ++i) {
    const std::string record(static_cast<std::size_t>(i % 400), static_cast<char>('a' + i % 26));
    ASSERT_TRUE(write(*sink, record));
    all += record;
  }
  const std::string large(3'000'000, 'L');  // larger than any batch
  ASSERT_TRUE(write(*sink, large));
  all += large;
  const auto closed = sink->close();
  ASSERT_TRUE(closed) << closed.error();
  EXPECT_EQ(text_of(folder.file("a")), all);
  const FileSinkStats stats = sink->stats();
  EXPECT_EQ(stats.bytes_written, all.size());
  EXPECT_EQ(stats.queue_bytes, 0U);
  EXPECT_EQ(stats.errors, 0U);
  EXPECT_FALSE(stats.degraded);
}

TEST(FileSink, BytesReachTheFileWhileItIsOpen) {
  const TemporaryFolder folder;
  const auto sink = open_sink({.path = folder.file("a")});
  ASSERT_TRUE(write(*sink, "one"));
  EXPECT_TRUE(comes_true([&] { return text_of(folder.file("a")) == "one"; }));
  ASSERT_TRUE(write(*sink, "two"));
  EXPECT_TRUE(comes_true([&] { return text_of(folder.file("a")) == "onetwo"; }));
}

TEST(FileSink, NeverOverwrites) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "precious");
  const auto sink = FileSink::create({.path = path});
  ASSERT_FALSE(sink);
  EXPECT_TRUE(sink.error().contains(path + ": file exists")) << sink.error();
  EXPECT_EQ(text_of(path), "precious");
}

TEST(FileSink, SaysWhenTheFolderIsMissing) {
  const TemporaryFolder folder;
  const auto sink = FileSink::create({.path = folder.file("no/a")});
  ASSERT_FALSE(sink);
  EXPECT_NE(sink.error().find("make its directory first"), std::string::npos) << sink.error();
}

TEST(FileSink, TakesNothingOnceClosed) {
  const TemporaryFolder folder;
  const auto sink = open_sink({.path = folder.file("a")});
  EXPECT_TRUE(sink->close());
  EXPECT_FALSE(write(*sink, "late"));
  EXPECT_TRUE(sink->close());
  EXPECT_EQ(text_of(folder.file("a")), "");
}

// The limit falls inside the 34th record of 30 bytes: 33 whole ones must stay, and not a byte more.
TEST(FileSink, CutsBackToTheLastWholeRecordWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const SmallDisk limit{1'000};
  const auto sink = open_sink({.path = folder.file("a")});
  std::string all;
  for (char letter = 'A'; letter < 'A' + 50; ++letter) {
    const std::string record(30, letter);
    (void)write(*sink, record);
    all += record;
  }
  ASSERT_TRUE(comes_true([&] { return sink->stats().degraded; }));
  EXPECT_FALSE(write(*sink, "more"));
  EXPECT_EQ(sink->stats().bytes_written, 990U);
  EXPECT_EQ(sink->stats().errors, 1U);
  EXPECT_EQ(text_of(folder.file("a")), all.substr(0, 990));
  const auto closed = sink->close();
  ASSERT_FALSE(closed);
  EXPECT_EQ(sink->stats().queue_bytes, 0U);
  EXPECT_TRUE(closed.error().contains(folder.file("a"))) << closed.error();
  EXPECT_TRUE(closed.error().contains("990 bytes")) << closed.error();
}

// What was taken before the failure is written once the disk takes again: no hole is in the file.
TEST(FileSink, GoesOnWhereItWasWhenTheDiskTakesAgain) {
  const TemporaryFolder folder;
  const auto sink = open_sink({.path = folder.file("a"), .retry_interval = 2ms});
  std::string taken;
  {
    const SmallDisk limit{1'000};
    for (char letter = 'A'; letter < 'A' + 50; ++letter) {
      const std::string record(30, letter);
      if (write(*sink, record)) taken += record;
    }
    ASSERT_TRUE(comes_true([&] { return sink->stats().degraded; }));
    EXPECT_FALSE(write(*sink, "refused"));
  }
  ASSERT_TRUE(comes_true([&] { return !sink->stats().degraded; }));
  EXPECT_TRUE(write(*sink, "more"));
  EXPECT_TRUE(sink->close());
  EXPECT_EQ(text_of(folder.file("a")), taken + "more");
}

// A server that restarts appends to its file of results.
TEST(FileSink, KeepsWhatAFileHasToWhichItAppends) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a", "before\n");
  const auto appended = [&](std::string_view record) {
    auto file = append_to(path);
    ASSERT_TRUE(file);
    const auto opened = FileSink::over(*std::move(file), {.path = path, .retry_interval = 1ms});
    ASSERT_TRUE(opened);
    const auto& sink = *opened;
    EXPECT_TRUE(sink->write(as_bytes_of(record)));
    const bool is_closed = sink->close().has_value();
    EXPECT_TRUE(is_closed || record.size() > 20);
  };
  appended("first\n");
  appended("second\n");
  EXPECT_EQ(text_of(path), "before\nfirst\nsecond\n");
  {
    const SmallDisk full{24};
    appended(std::string(30, 'x'));
  }
  EXPECT_EQ(text_of(path), "before\nfirst\nsecond\n") << "a record is there whole or not at all";
  std::filesystem::remove(path);
  appended("new\n");
  EXPECT_EQ(text_of(path), "new\n");
}

// Before the fix, the records went on at the start of the emptied file, and no error was reported.
TEST(FileSink, FailsWhenAnotherProgramEmptiesTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("match");
  const auto sink = open_sink({.path = path, .retry_interval = std::chrono::milliseconds{10}});
  ASSERT_TRUE(write(*sink, "first"));
  while (sink->stats().queue_bytes > 0)
    std::this_thread::yield();
  std::filesystem::resize_file(path, 0);
  ASSERT_TRUE(write(*sink, "second"));
  while (!sink->stats().degraded)
    std::this_thread::yield();
  EXPECT_GE(sink->stats().errors, 1U);
  EXPECT_FALSE(write(*sink, "third")) << "the caller counts it as lost";
  const auto closed = sink->close();
  ASSERT_FALSE(closed);
  EXPECT_TRUE(closed.error().contains("another program has made it shorter")) << closed.error();
  EXPECT_EQ(std::filesystem::file_size(path), 0U);
}

TEST(FileSink, FailsAtItsEndIfTheFileWasEmptied) {
  const TemporaryFolder folder;
  const std::string path = folder.file("match");
  const auto sink = open_sink({.path = path});
  ASSERT_TRUE(write(*sink, "first"));
  while (sink->stats().queue_bytes > 0)
    std::this_thread::yield();
  std::filesystem::resize_file(path, 0);
  EXPECT_FALSE(sink->close());
}

// Several batches wait when the disk fails in the middle of them: the file still ends with a whole
// record.
TEST(FileSink, CutsBackAlsoWhenManyBatchesWait) {
  const TemporaryFolder folder;
  const SmallDisk limit{500'000};
  const auto sink = open_sink({.path = folder.file("a")});
  constexpr std::size_t kRecordBytes = 777;
  for (int i = 0; i < 2'000; ++i) {
    (void)write(*sink, std::string(kRecordBytes, static_cast<char>('a' + i % 26)));
  }
  EXPECT_FALSE(sink->close());
  const std::string text = text_of(folder.file("a"));
  EXPECT_EQ(text.size(), 500'000 / kRecordBytes * kRecordBytes);
  EXPECT_EQ(sink->stats().bytes_written, text.size());
  EXPECT_EQ(text.back(), static_cast<char>('a' + (text.size() / kRecordBytes - 1) % 26));
}

// What waits for a file that a full disk refuses is lost at the end; the file after it gets its
// own.
TEST(FileSink, GoesOnInAnotherFileWhereItsChangeWasQueued) {
  const TemporaryFolder folder;
  std::vector<ClosedFile> closed;
  std::vector<std::string> worked;
  const auto sink = open_sink({.path = folder.file("a"),
                               .retry_interval = 1h,
                               .closed = [&](const ClosedFile& file) { closed.push_back(file); }});
  const auto change_to = [&](const std::string& name) {
    sink->change_file(*system_disk().create(folder.file(name)), folder.file(name));
  };
  ASSERT_TRUE(write(*sink, "one"));
  sink->run([&] { worked.push_back(text_of(folder.file("a"))); });
  ASSERT_TRUE(write(*sink, "two"));
  change_to("b");
  ASSERT_TRUE(write(*sink, "three"));
  ASSERT_TRUE(comes_true([&] { return sink->stats().queue_bytes == 0; }));
  {
    const SmallDisk full{10};
    std::promise<void> go_on;
    sink->run([&] { go_on.get_future().wait(); });
    ASSERT_TRUE(write(*sink, "four, refused"));
    sink->run([&] { worked.emplace_back("never"); });
    ASSERT_TRUE(write(*sink, "end"));
    change_to("c");
    ASSERT_TRUE(write(*sink, "five"));
    go_on.set_value();
    ASSERT_TRUE(comes_true([&] { return sink->stats().degraded; }));
    EXPECT_TRUE(sink->failure().contains("b: file too large; 5 bytes")) << sink->failure();
    EXPECT_FALSE(sink->close());
  }
  EXPECT_EQ(text_of(folder.file("a")), "onetwo");
  EXPECT_EQ(text_of(folder.file("b")), "three");
  EXPECT_EQ(text_of(folder.file("c")), "five");
  EXPECT_EQ(worked, (std::vector<std::string>{"one"}));
  EXPECT_EQ(sink->stats().bytes_written, 15U);
  EXPECT_EQ(sink->stats().queue_bytes, 0U);
  ASSERT_EQ(closed.size(), 3U);
  EXPECT_EQ(closed[0].path, folder.file("a"));
  EXPECT_EQ(closed[0].bytes, 6U);
  EXPECT_TRUE(closed[0].is_whole);
  EXPECT_FALSE(closed[1].is_whole) << "its last records are lost";
  EXPECT_TRUE(closed[2].is_whole);
}

TEST(FileSink, WritersAndWatchersMayBeDifferentThreads) {
  const TemporaryFolder folder;
  const auto sink = open_sink({.path = folder.file("a")});
  std::uint64_t written = 0;
  std::thread writer{[&] {
    const std::string record(1'000, 'r');
    for (int i = 0; i < 2'000; ++i) {
      if (write(*sink, record)) written += record.size();
    }
  }};
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t now = sink->stats().bytes_written;
    EXPECT_GE(now, last);
    last = now;
  }
  writer.join();
  EXPECT_TRUE(sink->close());
  EXPECT_EQ(sink->stats().bytes_written, written);
  EXPECT_EQ(written, 2'000'000U);
}

}  // namespace
}  // namespace tickbox::os::file_sink_test
