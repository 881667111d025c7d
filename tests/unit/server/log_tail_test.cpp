// The newest segments of a log, and its followers.

#include "server/recording/log_tail.h"

#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

namespace tickbox::server {
namespace {

using State = Follower::State;

/// A match whose log goes to a tail and, whole, to a file.
class LogTailTest : public ::testing::Test {
 protected:
  LogTailTest() { writer_.log().add(*tail_); }

  void play(std::uint32_t ticks) { match_.record(writer_, ticks); }

  /// Adds what waits, and checks how the follower is.
  void take(Follower& follower, State expected = State::Live) {
    EXPECT_EQ(follower.read(taken_), expected);
    followed_.insert(followed_.end(), taken_.begin(), taken_.end());
  }

  /// What was taken is a recording that ends with tick `last`.
  void expect_followed(std::uint32_t ticks, std::uint32_t last) const {
    const auto result = tests::verify(followed_);
    EXPECT_TRUE(result.held() && result.ends_early);
    EXPECT_EQ(result.gaps, 0U);
    EXPECT_EQ(result.ticks, ticks);
    EXPECT_EQ(result.last_tick, Tick{last});
  }

  tests::RecordedMatch match_;
  tests::MemorySink file_;
  tests::Writer writer_{file_, match_.header()};
  std::unique_ptr<LogTail> tail_ = std::make_unique<LogTail>(writer_.log().header(), 1'000);
  std::vector<std::byte> taken_;
  std::vector<std::byte> followed_;
};

// Segments of five seconds begin with the ticks 0, 50, 100 and 150.
TEST_F(LogTailTest, KeepsTheNewestTwoSegments) {
  for (const auto& [played, first] :
       {std::pair{30U, 0U}, std::pair{80U, 0U}, std::pair{120U, 50U}, std::pair{199U, 100U}}) {
    play(played - match_.world().tick.value);
    tests::MemorySink sink;
    record::LogFile kept{sink, match_.header()};
    tail_->pass_to(kept);
    EXPECT_TRUE(kept.finish());
    const auto result = tests::verify(sink.bytes);
    EXPECT_TRUE(result.held() && result.complete);
    EXPECT_EQ(result.ticks, played - first);
    EXPECT_EQ(result.last_tick, Tick{played});
  }
}

TEST_F(LogTailTest, KeepsAsManySecondsOfShortSegments) {
  for (int i = 0; i < 20; ++i) {
    play(10);
    match_.keyframe(writer_);
  }
  tests::MemorySink sink;
  record::LogFile kept{sink, match_.header()};
  tail_->pass_to(kept);
  EXPECT_TRUE(kept.finish());
  const auto result = tests::verify(sink.bytes);
  EXPECT_TRUE(result.held() && result.complete);
  EXPECT_GE(result.ticks, 50U);
  EXPECT_LE(result.ticks, 100U);
  const auto follower = tail_->follow();
  take(*follower);
  expect_followed(static_cast<std::uint32_t>(result.ticks), 200);
}

TEST_F(LogTailTest, AFollowerGetsTheNewestWholeSegmentFirstAndThenTheRest) {
  play(120);
  const auto follower = tail_->follow();
  ASSERT_NE(follower, nullptr);
  take(*follower);
  expect_followed(70, 120);
  const auto header = record::decode_header(followed_).value();
  EXPECT_EQ(header.first_segment, 1U);
  EXPECT_EQ(header.part, 0U) << "it is no part of a room's files";
  take(*follower);
  EXPECT_TRUE(taken_.empty());
  for (int i = 0; i < 20; ++i) {
    play(9);
    take(*follower);
  }
  play(40);
  writer_.finish();
  tail_->end();
  take(*follower, State::Ended);
  expect_followed(290, 340);
  take(*follower, State::Ended);
  EXPECT_TRUE(taken_.empty());
}

// The tail may go while its followers still read.
TEST_F(LogTailTest, AFollowerOutlivesTheLog) {
  play(20);
  const auto follower = tail_->follow();
  writer_.finish();
  tail_.reset();
  take(*follower, State::Ended);
  expect_followed(20, 20);
}

TEST_F(LogTailTest, OnlyAFollowerThatIsTooSlowGetsNoMore) {
  play(70);
  const auto slow = tail_->follow();
  const auto quick = tail_->follow();
  std::size_t logged = 0;
  while (logged <= kFollowerBytesMax) {
    const std::size_t before = file_.bytes.size();
    match_.keyframe(writer_);
    logged += file_.bytes.size() - before;
    ASSERT_EQ(quick->read(taken_), State::Live) << logged;
  }
  take(*slow, State::TooSlow);
  const auto result = tests::verify(followed_);
  EXPECT_TRUE(result.held()) << "what it got is whole";
  EXPECT_EQ(result.ticks, 70U);
  play(50);
  take(*slow, State::TooSlow);
  EXPECT_TRUE(taken_.empty());
  EXPECT_EQ(quick->read(taken_), State::Live);
}

TEST_F(LogTailTest, HasAtMostSixteenFollowers) {
  static_assert(kFollowersMax == 16);
  play(20);
  std::vector<std::unique_ptr<Follower>> followers;
  for (std::size_t i = 0; i < kFollowersMax; ++i) {
    EXPECT_NE(followers.emplace_back(tail_->follow()), nullptr);
  }
  EXPECT_EQ(tail_->follow(), nullptr);
  followers.pop_back();
  EXPECT_NE(tail_->follow(), nullptr);
}

// Followers come, read and go in a thread of their own while the log goes on.
TEST_F(LogTailTest, IsFollowedFromAnotherThread) {
  play(1);
  std::vector<std::vector<std::byte>> all;
  std::thread reader{[&] {
    std::vector<std::byte> taken;
    for (bool has_ended = false; !has_ended;) {
      const auto follower = tail_->follow();
      auto& followed = all.emplace_back();
      for (int i = 0; i < 100 && !has_ended; ++i) {
        has_ended = follower->read(taken) == State::Ended;
        followed.insert(followed.end(), taken.begin(), taken.end());
        std::this_thread::yield();
      }
    }
  }};
  play(3'000);
  writer_.finish();
  tail_->end();
  reader.join();
  for (const auto& followed : {all.front(), all[all.size() / 2], all.back()}) {
    const auto result = tests::verify(followed);
    EXPECT_TRUE(result.held() && result.gaps == 0);
    EXPECT_GT(result.ticks, 0U);
  }
  EXPECT_EQ(tests::verify(all.back()).last_tick, Tick{3'001});
}

}  // namespace
}  // namespace tickbox::server
