#include "server/shard/log.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tickbox::server {
namespace {

using std::chrono::seconds;

constexpr Instant kNow{std::chrono::hours{1}};

class KeepingLog final : public Log {
 public:
  void event(Severity severity, std::string_view line) override {
    severities.push_back(severity);
    lines.emplace_back(line);
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
        return std::string{"line"};
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
  limited_.event(LogKind::Mismatch, Severity::Error, kNow, [] { return std::string{"act"}; });
  EXPECT_EQ(log_.severities, std::vector{Severity::Error});
}

}  // namespace
}  // namespace tickbox::server
