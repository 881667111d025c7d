// The log of a room as the body of an HTTP response.

#include "core/clock.h"
#include "record/verify.h"
#include "server/host/admin/record_streams.h"
#include "server/recording/log_tail.h"
#include "tests/support/recorded_match.h"
#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

using Next = os::HttpSource::Next;
using std::chrono::seconds;

class LogStream : public testing::Test {
 protected:
  LogStream() { log_.add(tail_); }

  void play(int ticks) {
    for (; ticks > 0; --ticks) {
      if (log_.needs_keyframe()) log_.keyframe(match_.world().tick, match_.keyframe());
      match_.step();
      log_.tick(match_.match().encoded_tick());
    }
    log_.flush();
  }

  [[nodiscard]] os::HttpResponse follow(std::string_view query = {}) {
    return stream_log(tail_, query, clock_, places_.reserve());
  }

  /// Takes what the source has, in pieces of `most` bytes.
  static Next take(os::HttpSource& source, std::string& all, std::size_t most = 1'000) {
    for (;;) {
      const std::size_t before = all.size();
      const Next next = source.read(all, most);
      EXPECT_LE(all.size() - before, most);
      if (next != Next::More || all.size() == before) return next;
    }
  }

  tests::VirtualClock clock_;
  tests::RecordedMatch match_;
  record::RoomLog log_{match_.header()};
  static constexpr std::int64_t kLateBytes = 40'000;

  LogTail tail_{log_.header(), 1'000, std::make_shared<LateLogBytes>(kLateBytes)};
  Places places_{kFollowersMax + 1};
};

TEST_F(LogStream, IsARecordingThatGrowsAndEnds) {
  const os::HttpResponse from_the_start = follow();
  play(70);
  const os::HttpResponse response = follow();
  ASSERT_EQ(response.status, 200U);
  std::string all;
  EXPECT_EQ(take(*response.source, all), Next::More);
  const std::size_t begun = all.size();
  play(60);
  tail_.end();
  EXPECT_EQ(take(*response.source, all), Next::End);
  EXPECT_GT(all.size(), begun);
  const record::VerifyResult result = tests::verify(as_bytes_of(all));
  EXPECT_EQ(result.ticks, 130U);
  EXPECT_TRUE(result.held());
  std::string whole;
  EXPECT_EQ(take(*from_the_start.source, whole), Next::End);
  EXPECT_EQ(whole, all) << "the first segment is still the one before the newest";
}

TEST_F(LogStream, IsLateWhenThatIsAsked) {
  play(10);
  const os::HttpResponse response = follow("delay=10s");
  std::string all;
  EXPECT_EQ(take(*response.source, all), Next::More);
  clock_.advance(seconds{6});
  play(10);
  EXPECT_EQ(take(*response.source, all), Next::More);
  EXPECT_EQ(all, "");
  clock_.advance(seconds{4});
  EXPECT_EQ(take(*response.source, all), Next::More);
  EXPECT_EQ(tests::verify(as_bytes_of(all)).ticks, 10U);
  clock_.advance(seconds{6});
  EXPECT_EQ(take(*response.source, all), Next::More);
  EXPECT_EQ(tests::verify(as_bytes_of(all)).ticks, 20U);
  play(10);
  tail_.end();
  EXPECT_EQ(take(*response.source, all), Next::End) << "nothing is to be hidden any more";
  EXPECT_EQ(tests::verify(as_bytes_of(all)).ticks, 30U);
}

TEST_F(LogStream, IsBrokenForAReaderThatIsTooSlow) {
  const os::HttpResponse response = follow();
  // What waits for a delay is limited as what waits for a slow link.
  const os::HttpResponse delayed = follow("delay=2m");
  std::string all;
  const std::vector<std::byte> piece(kLateBytes / 8);
  for (std::uint32_t i = 0; i < 6; ++i) {
    tail_.append(
        {.head = {.type = record::RecordType::Keyframe, .tick = {1'000 * i}}, .bytes = piece});
    EXPECT_EQ(response.source->read(all, 10), Next::More) << i;
    EXPECT_EQ(delayed.source->read(all, 10), Next::More) << i;
  }
  tail_.append({.head = {.type = record::RecordType::Keyframe, .tick = {6'000}}, .bytes = piece});
  EXPECT_EQ(response.source->read(all, 10), Next::Broken);
  EXPECT_EQ(delayed.source->read(all, 10), Next::Broken);
}

TEST_F(LogStream, AsksProxiesToPassItsBytesOnAsTheyAre) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(follow().headers,
            (Headers{{"X-Accel-Buffering", "no"}, {"Cache-Control", "no-store, no-transform"}}));
}

TEST_F(LogStream, ARefusalSaysWhy) {
  EXPECT_EQ(follow("delay=1h").status, 400U);
  EXPECT_EQ(follow("delay=soon").status, 400U);
  std::vector<os::HttpResponse> open;
  for (std::size_t i = 0; i < kFollowersMax; ++i) {
    open.push_back(follow());
    EXPECT_EQ(open.back().status, 200U);
  }
  EXPECT_EQ(follow().status, 503U);
  open.pop_back();
  EXPECT_EQ(follow().status, 200U);
  open.push_back(follow());
  const Place last = places_.reserve();
  const Place none = places_.reserve();
  EXPECT_EQ(none, nullptr);
  EXPECT_TRUE(follow().body.contains("as many logs as it can")) << "of all rooms";
}

TEST(RoomOfLog, IsTheNumberInThePath) {
  EXPECT_EQ(room_of_log("/rooms/1/log"), 1U);
  EXPECT_EQ(room_of_log("/rooms/4294967295/log"), 4'294'967'295U);
  for (const char* path : {"/rooms//log", "/rooms/1/logs", "/rooms/-1/log", "/rooms/1a/log",
                           "/rooms/4294967296/log", "/rooms/log", "/rooms/1", "/room/1/log"}) {
    EXPECT_EQ(room_of_log(path), std::nullopt) << path;
  }
}

}  // namespace
}  // namespace tickbox::server
