#include "server/shard/view_receipts.h"

#include <gtest/gtest.h>

namespace tickbox::server {
namespace {

using std::chrono::seconds;

TEST(ViewReceipts, AViewIsProvenByItsOwnHashAlone) {
  ViewReceipts receipts;
  receipts.on_sent({10}, 0x1234'5678);
  EXPECT_TRUE(receipts.proves({.tick = {10}, .hash = protocol::ack_hash(0x1234'5678)}));
  EXPECT_FALSE(receipts.proves({.tick = {10}, .hash = protocol::ack_hash(0x1234'5679)}));
  EXPECT_FALSE(receipts.proves({.tick = {11}, .hash = protocol::ack_hash(0x1234'5678)}));
}

// A client that has left its address may discard its view and acknowledge it once more.
TEST(ViewReceipts, OnlyANewerViewEndsTheSilence) {
  const Instant start{};
  ViewReceipts receipts;
  receipts.begin(start);
  EXPECT_TRUE(receipts.on_proof({10}, start + seconds{1}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{1});
  EXPECT_FALSE(receipts.on_proof({10}, start + seconds{2}));
  EXPECT_FALSE(receipts.on_proof({9}, start + seconds{2}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{1});
  EXPECT_TRUE(receipts.on_proof({11}, start + seconds{2}));
  EXPECT_EQ(receipts.silence(start + seconds{2}), seconds{0});
}

}  // namespace
}  // namespace tickbox::server
