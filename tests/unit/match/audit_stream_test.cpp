#include "server/match/audit_stream.h"

#include "client/verification/audit.h"
#include "core/rng.h"
#include "protocol/audit_codec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace tickbox::match {
namespace {

using namespace std::chrono_literals;
using Cut = AuditStream::Cut;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kRate = 60;
constexpr Duration kPeriod = std::chrono::milliseconds{16};

std::chrono::milliseconds milliseconds_of(std::uint64_t count) {
  return std::chrono::milliseconds{static_cast<std::int64_t>(count)};
}

Bytes filled(std::size_t size, std::uint64_t with) {
  Bytes bytes(size);
  Rng rng{with};
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(rng.below(256));
  return bytes;
}

protocol::AuditSegment segment_of(const AuditStream::Piece& piece) {
  protocol::AuditSegment segment{
      .head = {.run = piece.run, .segment = piece.segment}, .bytes = {}, .extras = {}};
  for (const std::byte byte : piece.bytes)
    segment.bytes.push_back(byte);
  return segment;
}

/// A stream, and its receiver behind a link that the test controls.
class AuditStreamTest : public ::testing::Test {
 protected:
  void begin(std::size_t room_bytes) {
    const Bytes room = filled(room_bytes, ++written_);
    stream_.begin(room, tick_);
    expected_ = room;
    got_.clear();
  }

  bool tick(std::size_t entry_bytes) {
    now_ += kPeriod;
    tick_ = tick_ + 1;
    const Bytes entry = filled(entry_bytes, ++written_);
    if (!stream_.append(entry, tick_)) return false;
    expected_.insert(expected_.end(), entry.begin(), entry.end());
    return true;
  }

  /// Returns all segments that may be sent now.
  std::vector<protocol::AuditSegment> sent(Cut cut = Cut::All) {
    std::vector<protocol::AuditSegment> all;
    while (const auto piece = stream_.next(cut, now_)) {
      again_ += piece->is_again ? 1 : 0;
      all.push_back(segment_of(*piece));
    }
    return all;
  }

  void take(const protocol::AuditSegment& segment) {
    if (inbox_.take(segment) == client::StreamReassembly::Taken::BeginsRun) got_.clear();
    got_.insert(got_.end(), inbox_.bytes().begin(), inbox_.bytes().end());
    inbox_.drop(inbox_.bytes().size());
  }

  void acknowledge() { stream_.acknowledge(inbox_.ack(), now_); }

  [[nodiscard]] bool is_all_there() const { return got_ == expected_; }

  AuditStream stream_{kRate};
  client::StreamReassembly inbox_;
  Instant now_{std::chrono::hours{1}};
  Tick tick_{1'000};
  std::uint64_t written_ = 0;
  Bytes expected_;  ///< of this run
  Bytes got_;
  int again_ = 0;
};

TEST_F(AuditStreamTest, SendsNothingBeforeARun) {
  EXPECT_FALSE(stream_.is_running());
  EXPECT_TRUE(sent().empty());
}

TEST_F(AuditStreamTest, CutsWhatIsMoreThanASegment) {
  begin(2 * protocol::kAuditSegmentBytesMax + 10);
  EXPECT_EQ(sent(Cut::Full).size(), 2U);
  EXPECT_TRUE(stream_.has_news());
  const auto last = sent();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].bytes.size(), 10U);
  EXPECT_EQ(last[0].head.segment, 2);
  EXPECT_FALSE(stream_.has_news());
  EXPECT_EQ(stream_.cut_at(), tick_);
}

TEST_F(AuditStreamTest, HasNewsWhereATickIsMoreThanAHash) {
  begin(10);
  sent();
  ASSERT_TRUE(tick(9));
  EXPECT_FALSE(stream_.has_news());
  ASSERT_TRUE(tick(10));
  EXPECT_TRUE(stream_.has_news());
}

TEST_F(AuditStreamTest, SendsEachOnceWhereNothingIsLost) {
  begin(5'000);
  for (int i = 0; i < 1'000; ++i) {
    for (const protocol::AuditSegment& segment : sent())
      take(segment);
    now_ += 5ms;
    acknowledge();
    ASSERT_TRUE(tick(20));
  }
  for (const protocol::AuditSegment& segment : sent())
    take(segment);
  EXPECT_TRUE(is_all_there());
  EXPECT_EQ(again_, 0);
}

// Each of ten segments is lost in turn. A later segment that has arrived reveals the loss. The
// timeout reveals the loss of the last segment.
TEST_F(AuditStreamTest, SendsAgainWhatOthersHavePassed) {
  for (std::size_t lost = 0; lost < 10; ++lost) {
    begin(10 * protocol::kAuditSegmentBytesMax);
    const auto all = sent();
    ASSERT_EQ(all.size(), 10U);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != lost) take(all[i]);
    }
    EXPECT_FALSE(is_all_there());
    now_ += 20ms;
    acknowledge();
    now_ += 300ms;
    const auto again = sent();
    ASSERT_EQ(again.size(), 1U) << lost;
    EXPECT_EQ(again[0].head.segment, lost);
    EXPECT_TRUE(std::ranges::equal(again[0].bytes, all[lost].bytes)) << "the same bytes";
    take(again[0]);
    EXPECT_TRUE(is_all_there());
    acknowledge();
    now_ += 10s;
    EXPECT_TRUE(sent().empty()) << "all has come";
  }
}

TEST_F(AuditStreamTest, SendsOneAtATimeIntoSilenceAndLessAndLessOften) {
  begin(protocol::kAuditWindow * protocol::kAuditSegmentBytesMax + 1);
  EXPECT_EQ(sent().size(), protocol::kAuditWindow) << "a window, and no more";
  std::vector<Instant> at;
  for (int i = 0; i < 1'000; ++i) {
    now_ += 10ms;
    for (const protocol::AuditSegment& segment : sent()) {
      EXPECT_EQ(segment.head.segment, 0);
      at.push_back(now_);
    }
  }
  ASSERT_GE(at.size(), 4U);
  EXPECT_LE(at.size(), 8U);
  EXPECT_GE(at[2] - at[1], at[1] - at[0]);
  // After one acknowledgement the stream sends all lost segments, and the one that waited.
  take(segment_of({.run = 0,
                   .segment = 0,
                   .bytes = ConstBytes{expected_}.first(protocol::kAuditSegmentBytesMax)}));
  acknowledge();
  now_ += 200ms;
  EXPECT_EQ(sent().size(), protocol::kAuditWindow);
}

TEST_F(AuditStreamTest, GoesOnPastTheLastOfItsNumbers) {
  begin(3);
  for (int i = 0; i < 70'000; ++i) {
    for (const protocol::AuditSegment& segment : sent())
      take(segment);
    acknowledge();
    ASSERT_TRUE(tick(12));
    ASSERT_EQ(got_.size() + 12, expected_.size()) << i;
  }
  EXPECT_EQ(inbox_.ack().next, (70'000 - 1 + 1) & 0xffff);
  for (const protocol::AuditSegment& segment : sent())
    take(segment);
  EXPECT_TRUE(is_all_there());
}

TEST_F(AuditStreamTest, NumbersItsRunsBeyondAByte) {
  for (int run = 0; run < 600; ++run) {
    begin(30);
    for (const protocol::AuditSegment& segment : sent()) {
      EXPECT_EQ(segment.head.run, run & 0xff);
      take(segment);
    }
    ASSERT_TRUE(is_all_there()) << run;
    acknowledge();
  }
}

TEST_F(AuditStreamTest, TakesNoWordOfAnotherRunOrOfWhatWasNotSent) {
  begin(10);
  const auto first = sent();
  const protocol::AuditAck all_of_first{.next = 1, .run = 0};
  EXPECT_FALSE(stream_.acknowledge({.next = 2, .run = 0}, now_)) << "there is no second";
  EXPECT_FALSE(stream_.acknowledge({.next = 0xffff, .run = 0}, now_)) << "nor one before";
  begin(10);
  sent();
  EXPECT_FALSE(stream_.acknowledge(all_of_first, now_));
  EXPECT_FALSE(stream_.requests_new_run({.run = 0, .wants_new_run = true}));
  EXPECT_TRUE(stream_.requests_new_run({.run = 1, .wants_new_run = true}));
  EXPECT_FALSE(stream_.requests_new_run({.run = 1}));
  EXPECT_TRUE(stream_.acknowledge({.bits = ~std::uint64_t{0}, .next = 0, .run = 1}, now_));
  EXPECT_TRUE(stream_.acknowledge({.next = 1, .run = 1}, now_));
  stream_.end();
  EXPECT_FALSE(stream_.acknowledge({.next = 1, .run = 1}, now_));
  EXPECT_FALSE(stream_.requests_new_run({.run = 1, .wants_new_run = true}));
}

TEST_F(AuditStreamTest, GivesUpWhoHasTheRoomAndIsTwoSecondsBehind) {
  begin(10);
  for (const protocol::AuditSegment& segment : sent())
    take(segment);
  acknowledge();
  std::uint32_t ticks = 0;
  while (ticks < 10 * kRate && tick(20))
    ++ticks;
  EXPECT_EQ(ticks, kAuditBehindSeconds * kRate);
  EXPECT_FALSE(stream_.is_running());
  EXPECT_TRUE(sent().empty());
}

TEST_F(AuditStreamTest, WaitsForWhoHasNotTheRoomAsLongAsThereIsSpace) {
  begin(100'000);
  std::size_t bytes = 0;  // without the keyframe
  while (bytes + 3'000 <= kAuditBacklogBytes) {
    ASSERT_TRUE(tick(3'000));
    bytes += 3'000;
  }
  EXPECT_FALSE(tick(3'000));
  EXPECT_FALSE(stream_.is_running());
}

/// Over any link, all written bytes arrive in order, whatever happens to segments and
/// acknowledgements.
TEST_F(AuditStreamTest, BringsEverythingOverAnyLink) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);

    struct OnItsWay {
      Instant at;
      protocol::AuditSegment segment;
    };

    struct Word {
      Instant at;
      protocol::AuditAck ack;
    };

    Rng rng{seed};
    std::deque<OnItsWay> down;
    std::deque<Word> up;
    const std::uint64_t lost = rng.below(20);
    const auto delay = [&] { return milliseconds_of(20 + rng.below(60)); };
    begin(rng.below(300'000) + 1);
    Instant quiet_until = now_;
    for (int i = 0; i < 1'500; ++i) {
      // Two silences together would be longer than an auditor may be behind.
      if (rng.below(100) == 0 && now_ > quiet_until + 2s) {
        quiet_until = now_ + milliseconds_of(rng.below(700));
      }
      if (i < 1'300) {
        ASSERT_TRUE(tick(9 + rng.below(40)));
      } else {
        now_ += kPeriod;
      }
      int budget = 8;
      while (budget-- > 0) {
        const auto piece = stream_.next(Cut::All, now_);
        if (!piece) break;
        for (std::uint64_t copies = 1 + (rng.below(20) == 0 ? 1 : 0); copies > 0; --copies) {
          if (rng.below(100) < lost || now_ < quiet_until) continue;
          down.push_back({.at = now_ + delay(), .segment = segment_of(*piece)});
        }
      }
      std::ranges::sort(down, {}, &OnItsWay::at);
      for (; !down.empty() && down.front().at <= now_; down.pop_front())
        take(down.front().segment);
      if (rng.below(100) >= lost && now_ >= quiet_until)
        up.push_back({.at = now_ + delay(), .ack = inbox_.ack()});
      std::ranges::sort(up, {}, &Word::at);
      for (; !up.empty() && up.front().at <= now_; up.pop_front())
        stream_.acknowledge(up.front().ack, now_);
    }
    EXPECT_TRUE(is_all_there());
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace tickbox::match
