// The recordings of a directory over HTTP: which names are served, and what a reader gets of a file
// that is being written.

#include "os/files/disk.h"
#include "os/process/steady_clock.h"
#include "record/format.h"
#include "server/host/admin/record_streams.h"
#include "tests/support/recorded_match.h"
#include "tests/unit/os/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::server::recording_pages_test {
namespace {

using nlohmann::json;
using Next = os::HttpSource::Next;

constexpr const char* kFirst = "20261128T021156.123Z-room1.tickbox";
constexpr const char* kSecond = "20261128T021256.123Z-room1.tickbox";
constexpr const char* kCrash = "20261128T021356.123Z-room1-crash.tickbox";

/// Returns the answer that comes later.
os::HttpResponse wait(const os::HttpResponse& response) {
  std::optional<os::HttpResponse> answer;
  os::poll_until([&] { return (answer = response.later()).has_value(); });
  return *std::move(answer);
}

class RecordingPages : public os::FolderTest {
 protected:
  [[nodiscard]] os::HttpResponse download(std::string_view name) {
    return wait(send_recording(folder(), name, places_.reserve()));
  }

  [[nodiscard]] std::string body_of(std::string_view name) {
    const os::HttpResponse response = download(name);
    EXPECT_EQ(response.status, 200U);
    std::string body;
    os::poll_until([&] {
      const std::size_t before = body.size();
      const Next next = response.source->read(body, 1'000);
      EXPECT_LE(body.size() - before, 1'000U);
      EXPECT_NE(next, Next::Broken);
      return next != Next::More;
    });
    return body;
  }

  [[nodiscard]] std::string folder() { return folder_.file(""); }

  Places places_{2};
};

TEST_F(RecordingPages, ListTheRecordingsAlone) {
  (void)folder_.write(kFirst, "first");
  (void)folder_.write(kCrash, "crash!");
  (void)folder_.write("key.tickbox", "secret");
  (void)folder_.write("view-arena-0123456789abcdef.html", "page");
  std::filesystem::create_symlink("/etc/hostname",
                                  folder_.file("20261128T021456.123Z-room1.tickbox"));
  const auto written = os::system_disk().create(folder_.file(kSecond));
  ASSERT_TRUE(written);
  const os::HttpResponse listed = wait(list_recordings(folder(), places_.reserve()));
  EXPECT_EQ(listed.content_type, "application/json");
  const json document = json::parse(listed.body);
  EXPECT_EQ(document["all"], 3);
  const json& recordings = document["recordings"];
  ASSERT_EQ(recordings.size(), 3U);
  EXPECT_EQ(recordings[0], (json{{"name", kCrash},
                                 {"bytes", 6},
                                 {"start", "2026-11-28T02:13:56.123Z"},
                                 {"written", false}}));
  EXPECT_EQ(recordings[1]["name"], kSecond);
  EXPECT_EQ(recordings[1]["written"], true);
  EXPECT_EQ(recordings[2]["name"], kFirst);
}

TEST_F(RecordingPages, WithoutADirectoryThereAreNone) {
  EXPECT_EQ(json::parse(list_recordings("", places_.reserve()).body)["recordings"], json::array());
  EXPECT_EQ(send_recording("", kFirst, places_.reserve()).status, 404U);
  EXPECT_EQ(wait(list_recordings(folder_.file("missing"), places_.reserve())).status, 500U);
}

TEST_F(RecordingPages, SendTheBytesOfAFileInPieces) {
  const std::string bytes = std::string(kDownloadBytesMax, 'a') + std::string(777, 'b');
  (void)folder_.write(kFirst, bytes);
  EXPECT_EQ(body_of(kFirst), bytes);
  (void)folder_.write(kSecond, "");
  EXPECT_EQ(body_of(kSecond), "");
}

TEST_F(RecordingPages, HaveNoFileThatIsNotThereOrIsALink) {
  EXPECT_EQ(download(kFirst).status, 404U);
  std::filesystem::create_symlink("/etc/hostname", folder_.file(kFirst));
  EXPECT_EQ(download(kFirst).status, 404U);
  std::filesystem::create_directory(folder_.file(kSecond));
  EXPECT_EQ(download(kSecond).status, 404U);
}

TEST_F(RecordingPages, AreReadByAFewAtATime) {
  (void)folder_.write(kFirst, "first");
  const os::HttpResponse one = download(kFirst);
  os::HttpResponse other = download(kFirst);
  EXPECT_EQ(send_recording(folder(), kFirst, places_.reserve()).status, 503U);
  EXPECT_EQ(list_recordings(folder(), places_.reserve()).status, 503U);
  other.source.reset();
  os::poll_until([&] { return places_.reserve() != nullptr; });  // the call that reads has one too
}

// Whatever a file that is being written ends with, a reader gets its whole records.
TEST_F(RecordingPages, EndAFileThatIsWrittenWithItsLastWholeRecord) {
  const std::vector<std::byte> whole = tests::small_recording(2, 60);
  std::vector<std::size_t> ends{record::kRecordsOffset};
  for (const tests::Piece& piece : tests::pieces(whole))
    ends.push_back(piece.end());
  ASSERT_GT(ends.size(), 4U);
  std::size_t number = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    for (const std::size_t size : {ends[i] - 1, ends[i], ends[i] + 1, ends[i] + 19, ends[i] + 20}) {
      const std::string name =
          "20261128T021156." + std::to_string(100 + number++) + "Z-room1.tickbox";
      const auto file = os::system_disk().create(folder_.file(name));
      ASSERT_TRUE(file);
      ASSERT_TRUE((*file)->append(ConstBytes{whole}.first(size)));
      const std::size_t expected = size < ends[i] ? ends[i - 1] : ends[i];
      EXPECT_EQ(body_of(name).size(), expected) << size;
    }
  }
  // One without a record, and one whose records are damaged: all of it is for the reader to judge.
  const auto damaged = os::system_disk().create(folder_.file(kFirst));
  ASSERT_TRUE(damaged && (*damaged)->append(as_bytes_of(std::string(500, 'x'))));
  EXPECT_EQ(body_of(kFirst).size(), 500U);
  const auto begun = os::system_disk().create(folder_.file(kSecond));
  ASSERT_TRUE(begun && (*begun)->append(ConstBytes{whole}.first(record::kRecordsOffset)));
  EXPECT_EQ(body_of(kSecond).size(), record::kRecordsOffset);
}

}  // namespace
}  // namespace tickbox::server::recording_pages_test
