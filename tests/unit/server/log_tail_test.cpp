// The newest segments of a log, and its followers.

#include "server/recording/log_tail.h"

#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace tickbox::server {
namespace {

using State = Follower::State;

/// Some stretches of five seconds.
constexpr std::int64_t kLateBytes = 20'000;

/// A match whose log goes to a tail and, whole, to a file.
class LogTailTest : public ::testing::Test {
 protected:
  LogTailTest() { writer_.log().add(*tail_); }

  void play(std::uint32_t ticks) { match_.record(writer_, ticks); }

  /// Takes what waits, and checks how the follower is.
  void take(Follower& follower, State expected = State::Live) {
    taken_.clear();
    EXPECT_EQ(follower.read(taken_, SIZE_MAX), expected);
    followed_ += taken_;
  }

  /// What was taken is a recording that ends with tick `last`.
  void expect_followed(std::uint32_t ticks, std::uint32_t last) const {
    const auto result = tests::verify(as_bytes_of(followed_));
    EXPECT_TRUE(result.held() && result.ends_early);
    EXPECT_EQ(result.gaps, 0U);
    EXPECT_EQ(result.ticks, ticks);
    EXPECT_EQ(result.last_tick, Tick{last});
  }

  tests::RecordedMatch match_;
  tests::MemorySink file_;
  tests::Writer writer_{file_, match_.header()};
  std::shared_ptr<LateLogBytes> late_ = std::make_shared<LateLogBytes>(kLateBytes);
  std::unique_ptr<LogTail> tail_ = std::make_unique<LogTail>(writer_.log().header(), 1'000, late_);
  std::string taken_;
  std::string followed_;
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
  const auto header = record::decode_header(as_bytes_of(followed_)).value();
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

// Before the change, each follower took two megabytes for bytes of its own before it read one.
TEST_F(LogTailTest, AFollowerThatIsLateFindsWhatFollowsUntilTheRoomHasItsShareOfLateBytes) {
  play(70);
  const auto slow = tail_->follow();
  const auto quick = tail_->follow();
  std::size_t read = 0;
  for (int i = 0; i < 1'000 && slow->read(taken_, 1) == State::Live; ++i, ++read) {
    play(10);
    take(*quick);
    ASSERT_GE(*late_, 0) << "they are not used up";
  }
  EXPECT_GT(read, 12U) << "it was later than what is kept anyway";
  EXPECT_LT(read, 1'000U);
  taken_.clear();
  EXPECT_EQ(slow->read(taken_, 1), State::TooSlow);
  EXPECT_EQ(taken_, "");
  EXPECT_EQ(*late_, kLateBytes) << "nobody else is late";
  EXPECT_EQ(tests::verify(as_bytes_of(followed_)).gaps, 0U);
  EXPECT_TRUE(tests::verify(as_bytes_of(followed_)).held());
}

// A room may have as much as is left: one of three a quarter, the next one a third, the last one a
// half.
TEST_F(LogTailTest, RoomsShareTheLateBytesWhoseFollowersAreSlow) {
  std::vector<std::unique_ptr<LogTail>> tails;
  std::vector<std::unique_ptr<Follower>> slow;
  for (int i = 0; i < 3; ++i) {
    tails.push_back(std::make_unique<LogTail>(match_.header(), 0, late_));
    slow.push_back(tails.back()->follow());
  }
  constexpr std::size_t kPieceBytes = 100;
  const std::vector<std::byte> piece(kPieceBytes);
  std::vector<std::size_t> late(3);
  std::uint32_t tick = 0;
  for (std::size_t turn = 0; turn < 3'000; ++turn, tick += 1'000) {
    const std::size_t room = turn % 3;
    tails[room]->append(
        {.head = {.type = record::RecordType::Keyframe, .tick = {tick}}, .bytes = piece});
    if (slow[room]->read(taken_, 0) == State::Live) late[room] += kPieceBytes;
  }
  std::ranges::sort(late);
  for (std::size_t room = 0; room < 3; ++room) {
    EXPECT_NEAR(static_cast<double>(late[room]), kLateBytes / (4.0 - static_cast<double>(room)),
                3.0 * kPieceBytes);
  }
  slow.clear();
  EXPECT_EQ(*late_, kLateBytes);
}

// Stretches that nobody reads any more are removed, also in the middle of a stretch's time.
TEST_F(LogTailTest, AFollowerThatLeavesOrCatchesUpGivesTheLateBytesBack) {
  play(70);
  auto leaves = tail_->follow();
  const auto catches_up = tail_->follow();
  play(100);
  EXPECT_LT(*late_, kLateBytes);
  leaves.reset();
  EXPECT_LT(*late_, kLateBytes) << "the other one has not read them";
  take(*catches_up);
  EXPECT_EQ(*late_, kLateBytes);
  expect_followed(170, 170);
}

TEST_F(LogTailTest, TellsHowMuchAFollowerGetsInAll) {
  play(120);
  const auto follower = tail_->follow();
  const std::uint64_t before = follower->progress().bytes;
  EXPECT_EQ(follower->read(taken_, 10), State::Live);
  EXPECT_EQ(follower->progress().bytes, before);
  EXPECT_FALSE(follower->progress().has_ended);
  play(100);
  writer_.finish();
  tail_->end();
  EXPECT_EQ(follower->read(taken_, SIZE_MAX), State::Ended);
  EXPECT_EQ(follower->progress().bytes, taken_.size());
  EXPECT_GT(taken_.size(), before);
  EXPECT_TRUE(follower->progress().has_ended);
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
  constexpr std::size_t kSomeTicks = 50'000;  // bytes of the beginning and of ticks behind it
  play(1);
  std::vector<std::string> all;
  std::thread reader{[&] {
    for (State state = State::Live; state != State::Ended;) {
      const auto follower = tail_->follow();
      std::string followed;
      // A reader that is faster than the match has nothing for a while.
      do {
        state = follower->read(followed, 1'000);
        std::this_thread::yield();
      } while (state == State::Live && followed.size() < kSomeTicks);
      if (state == State::Ended || followed.size() >= kSomeTicks)
        all.push_back(std::move(followed));
    }
  }};
  play(3'000);
  writer_.finish();
  tail_->end();
  reader.join();
  for (const auto& followed : {all.front(), all[all.size() / 2], all.back()}) {
    const auto result = tests::verify(as_bytes_of(followed));
    EXPECT_TRUE(result.held() && result.gaps == 0);
    EXPECT_GT(result.ticks, 0U);
  }
  EXPECT_EQ(tests::verify(as_bytes_of(all.back())).last_tick, Tick{3'001});
}

}  // namespace
}  // namespace tickbox::server
