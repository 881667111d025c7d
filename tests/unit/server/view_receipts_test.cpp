#include "server/shard/session.h"

#include <gtest/gtest.h>

#include <set>

namespace tickbox::server {
namespace {

using std::chrono::seconds;

constexpr std::size_t kBytes = 500;

net::ShortKey key_of(unsigned number) {
  net::ShortKey key;
  key[0] = static_cast<std::byte>(number);
  return key;
}

ViewReceipts begun(Instant now = {}) {
  ViewReceipts receipts;
  receipts.begin(key_of(1), now);
  return receipts;
}

TEST(ViewReceipts, AViewIsProvenByItsOwnReceiptAlone) {
  ViewReceipts receipts = begun();
  receipts.on_sent({10}, 0x1234'5678, kBytes, {});
  const std::uint16_t receipt = receipts.receipt_of({10});
  EXPECT_TRUE(receipts.proves({.tick = {10}, .receipt = receipt}));
  EXPECT_FALSE(receipts.proves({.tick = {10}, .receipt = static_cast<std::uint16_t>(receipt + 1)}));
  EXPECT_FALSE(receipts.proves({.tick = {11}, .receipt = receipts.receipt_of({11})})) << "not sent";
}

// The receipts of another session, and the earlier ones of its own, tell a client no other receipt.
TEST(ViewReceipts, DifferFromTickToTickAndFromSessionToSession) {
  ViewReceipts other;
  other.begin(key_of(2), {});
  const ViewReceipts receipts = begun();
  std::set<std::uint16_t> seen;
  int same = 0;
  for (std::uint32_t tick = 1; tick <= 1'000; ++tick) {
    seen.insert(receipts.receipt_of({tick}));
    same += static_cast<int>(receipts.receipt_of({tick}) == other.receipt_of({tick}));
  }
  EXPECT_GT(seen.size(), 980U);
  EXPECT_LE(same, 1);
}

// A client that has left its address may discard its view and acknowledge it once more.
TEST(ViewReceipts, OnlyANewerViewEndsTheSilence) {
  const Instant start{};
  ViewReceipts receipts = begun(start);
  EXPECT_TRUE(receipts.on_proof({10}, start + seconds{1}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{1});
  EXPECT_FALSE(receipts.on_proof({10}, start + seconds{2}));
  EXPECT_FALSE(receipts.on_proof({9}, start + seconds{2}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{1});
  EXPECT_TRUE(receipts.on_proof({11}, start + seconds{2}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{0});
}

TEST(ViewReceipts, AllowFewSnapshotsWithoutProofAndThenThreeTimesWhatArrives) {
  const Instant start{};
  ViewReceipts receipts = begun(start);
  const auto is_limited = [&](Instant now) { return receipts.bytes_allowed(now) <= 1'000'000; };
  std::uint32_t tick = 0;
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(is_limited(start));
    receipts.on_sent({++tick}, 0, kBytes, start);
  }
  const Instant later = start + seconds{1};
  for (std::uint64_t i = 0; i < kUnprovenSnapshots; ++i) {
    EXPECT_FALSE(is_limited(later)) << i;
    receipts.on_sent({++tick}, 0, kBytes, later);
  }
  EXPECT_EQ(receipts.bytes_allowed(later), 0U);
  receipts.on_received(200);
  EXPECT_EQ(receipts.bytes_allowed(later), 600U);
  receipts.on_sent({++tick}, 0, kBytes, later);
  EXPECT_EQ(receipts.bytes_allowed(later), 100U);
  EXPECT_TRUE(receipts.on_proof({tick}, later));
  EXPECT_FALSE(is_limited(later));
  EXPECT_FALSE(is_limited(later + seconds{1}));
}

}  // namespace
}  // namespace tickbox::server
