#include "server/shard/paced_logs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::server {
namespace {

using net::RefuseReason;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

constexpr Instant kNow{std::chrono::hours{1}};
const net::Address kAddress = net::parse_address("192.0.2.1:5000").value();

class KeptLines final : public Log {
 public:
  void event(Severity, std::string_view line) override { lines.emplace_back(line); }

  Lines lines;
};

class RefusalLogTest : public testing::Test {
 protected:
  Lines written_at(Instant now) {
    kept_.lines.clear();
    refusals_.write(limited_, now);
    return kept_.lines;
  }

  RefusalLog refusals_;

 private:
  KeptLines kept_;
  LimitedLog limited_{kept_};
};

TEST_F(RefusalLogTest, WritesTheFirstOfAReasonAtOnce) {
  refusals_.add(RefuseReason::TokenUsed, 7, kAddress);
  refusals_.add(RefuseReason::Schema, std::nullopt, kAddress);
  EXPECT_EQ(
      written_at(kNow),
      (Lines{"connection_refused reason=schema address=192.0.2.1:5000 count=1",
             "connection_refused reason=token_used client=7 address=192.0.2.1:5000 count=1"}));
  EXPECT_EQ(written_at(kNow + seconds{60}), Lines{}) << "and once";
}

TEST_F(RefusalLogTest, CountsTheOthersUntilTenSecondsLater) {
  refusals_.add(RefuseReason::Full, 1, kAddress);
  ASSERT_EQ(written_at(kNow).size(), 1U);
  for (std::uint64_t client = 2; client <= 1'001; ++client) {
    refusals_.add(RefuseReason::Full, client, kAddress);
  }
  EXPECT_EQ(written_at(kNow + seconds{9}), Lines{});
  EXPECT_EQ(written_at(kNow + seconds{10}),
            Lines{"connection_refused reason=full client=1001 address=192.0.2.1:5000 count=1000"});
}

}  // namespace
}  // namespace tickbox::server
