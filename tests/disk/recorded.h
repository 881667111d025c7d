#pragma once
// A room that is recorded from file to file, over a disk of the test.

#include "os/process/steady_clock.h"
#include "record/verify.h"
#include "server/host/recordings/recording_files.h"
#include "server/recording/recorder.h"
#include "tests/support/faulty_disk.h"
#include "tests/support/patience.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::tests {

/// A calendar that a test moves, and the thread of the files reads.
class TurnedCalendar final : public WallClock {
 public:
  [[nodiscard]] WallTime now() const override {
    return WallTime{std::chrono::milliseconds{milliseconds_.load()}};
  }

  void jump(std::chrono::milliseconds by) { milliseconds_ += by.count(); }

 private:
  std::atomic<std::int64_t> milliseconds_{1'790'000'000'000};
};

/// The name of the server that records.
inline constexpr const char* kServer = "arena-1";

/// A room, its recorder and its files, over a disk of the test.
struct Recorded {
  explicit Recorded(const RecordedMatchOptions& options = {.seats = 8, .all_stay = true})
      : played(options) {}

  os::TemporaryFolder folder;
  FaultyDisk disk;
  TurnedCalendar calendar;
  RecordedMatch played;
  std::optional<server::RecordingFolder> kept;
  std::unique_ptr<server::RecordingFiles> files;
  std::optional<server::Recorder> recorder;

  /// Limits the folder to `bytes_max` bytes; 0: not. A tick is a record. A new file can begin once
  /// a second.
  void open(server::RecordingFilesOptions options, std::uint64_t bytes_max = 0) {
    options.retry_interval = std::chrono::milliseconds{1};
    record::Header header = played.header();
    header.server = record::name_hash(kServer);
    files.reset();
    kept.emplace(
        server::RecordingFolderOptions{
            .path = folder.file(""), .bytes_max = bytes_max, .server = header.server},
        disk);
    auto opened = server::RecordingFiles::open(options, *kept, calendar, header);
    ASSERT_TRUE(opened) << opened.error();
    files = *std::move(opened);
    recorder.emplace(played.match(), header);
    recorder->add(*files);
  }

  /// Ends files at `part` bytes, and limits the folder to `limit` bytes.
  void open_limited(std::uint64_t part, std::uint64_t limit) { open({.part_bytes = part}, limit); }

  /// Puts a closed recording of `bytes` bytes into the folder; it began `before` now. Returns its
  /// path.
  std::string put(std::chrono::hours before, std::size_t bytes, std::string_view server_name) {
    const std::string path =
        folder.file(server::recording_name(calendar.now() - before, played.header().room));
    record::Header header = played.header();
    header.server = server_name.empty() ? 0 : record::name_hash(server_name);
    const auto head = record::encode_header(header);
    std::vector<std::byte> file{head.begin(), head.end()};
    file.resize(std::max(bytes, head.size()));
    disk.put(path, file);
    return path;
  }

  [[nodiscard]] bool has(const std::string& path) const { return !disk.bytes(path).empty(); }

  [[nodiscard]] std::uint64_t bytes_in_folder() const {
    std::uint64_t bytes = 0;
    for (const std::string& path : disk.paths())
      bytes += disk.bytes(path).size();
    return bytes;
  }

  /// Runs until `times` notes begin with each of `prefixes`. Returns the notes.
  std::vector<std::string> run_until_noted(const std::vector<std::string>& prefixes,
                                           std::ptrdiff_t times = 1) {
    std::vector<std::string> lines;
    const auto is_noted = [&](const std::string& prefix) {
      return std::ranges::count_if(
                 lines, [&](const std::string& line) { return line.starts_with(prefix); }) >= times;
    };
    EXPECT_TRUE(comes_true([&] {
      run(1);
      for (const auto& note : files->consume_notes())
        lines.push_back(as_text(note.event));
      return std::ranges::all_of(prefixes, is_noted);
    }));
    return lines;
  }

  void run(int ticks) {
    for (; ticks > 0; --ticks) {
      const RecordedMatch::Decided next = played.decide();
      recorder->stepping(next.request, next.origins);
      played.play();
      recorder->stepped();
      calendar.jump(std::chrono::milliseconds{100});
    }
  }

  /// Runs until the disk has `count` files.
  void run_until_files(std::size_t count) {
    ASSERT_TRUE(comes_true([&] {
      run(1);
      return disk.paths().size() >= count;
    }));
  }

  void close() {
    recorder->finish();
    files->finish();
    const auto closed = files->close();
    EXPECT_TRUE(closed) << closed.error();
  }

  /// Checks each file that was recorded. Returns the results in the order of time.
  std::vector<record::VerifyResult> expect_all_sound() {
    std::vector<record::VerifyResult> results;
    for (const std::string& path : disk.paths()) {
      const std::vector<std::byte> file = disk.bytes(path);
      const auto reader = record::Reader::open(file);
      if (!reader) continue;  // of the test, or nothing was ever written
      results.push_back(record::verify(*reader, played.game(), played.map()));
      EXPECT_TRUE(results.back().held()) << path;
    }
    return results;
  }
};

}  // namespace tickbox::tests
