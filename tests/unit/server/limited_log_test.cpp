// The limits on log lines: on lines of any kind, and on refusals.

#include "server/shard/log.h"
#include "server/shard/paced_logs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::server::limited_log_test {
namespace {

using std::chrono::seconds;

constexpr Instant kNow{std::chrono::hours{1}};

class KeepingLog final : public Log {
 public:
  void event(Severity severity, const LogEvent& event) override {
    severities.push_back(severity);
    lines.push_back(as_text(event));
  }

  std::vector<Severity> severities;
  std::vector<std::string> lines;
};

class LimitedLogTest : public testing::Test {
 protected:
  void write(LogKind kind, Instant now, int times) {
    for (int i = 0; i < times; ++i) {
      limited_.event(kind, Severity::Info, now, [&] {
        ++made_;
        return LogEvent{"line"};
      });
    }
  }

  KeepingLog log_;
  LimitedLog limited_{log_};
  int made_ = 0;
};

TEST_F(LimitedLogTest, WritesABurstAndLeavesOutTheRest) {
  write(LogKind::Opened, kNow, 1'000);
  EXPECT_EQ(log_.lines, std::vector<std::string>(kLogLines.burst, "line"));
}

TEST_F(LimitedLogTest, SaysWithTheNextLineHowManyItLeftOut) {
  write(LogKind::Opened, kNow, 1'000);
  write(LogKind::Opened, kNow + seconds{1}, 2);
  EXPECT_EQ(log_.lines[log_.lines.size() - 2],
            "line left_out=" + std::to_string(1'000 - kLogLines.burst));
  EXPECT_EQ(log_.lines.back(), "line") << "and says it once";
}

TEST_F(LimitedLogTest, KeepsKindsApart) {
  write(LogKind::Opened, kNow, 1'000);
  write(LogKind::Closed, kNow, 1);
  EXPECT_EQ(log_.lines.size(), static_cast<std::size_t>(kLogLines.burst) + 1);
  EXPECT_EQ(log_.lines.back(), "line") << "what one kind left out is not another's";
}

TEST_F(LimitedLogTest, MakesNoLineThatItDoesNotWrite) {
  write(LogKind::Dropped, kNow, 1'000);
  EXPECT_EQ(made_, kLogLines.burst);
}

TEST_F(LimitedLogTest, PassesOnHowSevereALineIs) {
  limited_.event(LogKind::Mismatch, Severity::Error, kNow, [] { return LogEvent{"act"}; });
  EXPECT_EQ(log_.severities, std::vector{Severity::Error});
}

using net::RefuseReason;
using std::chrono::seconds;
using Lines = std::vector<std::string>;

const net::Address kAddress = net::parse_address("192.0.2.1:5000").value();

class RefusalLogTest : public testing::Test {
 protected:
  Lines written_at(Instant now) {
    kept_.lines.clear();
    refusals_.write(limited_, now);
    return kept_.lines;
  }

  RefusalLog refusals_;

 private:
  KeepingLog kept_;
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
}  // namespace tickbox::server::limited_log_test
