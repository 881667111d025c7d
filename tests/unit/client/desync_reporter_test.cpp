#include "client/verification/desync_reporter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tickbox::client {
namespace {

using net::DropReason;
using protocol::DesyncEnd;
using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::seconds{100}};
constexpr Duration kTick = milliseconds{17};

std::vector<game::EntityState> crates(std::uint32_t count) {
  std::vector<game::EntityState> view;
  view.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    view.push_back({.id = game::crate_body(i),
                    .min = {.x = static_cast<std::int32_t>(i), .y = 0},
                    .velocity = {},
                    .traits = {.kind = game::EntityKind::Crate}});
  }
  return view;
}

/// The desyncs of the reports that have ended.
class KeepingSink final : public protocol::DesyncSink {
 public:
  void note(const protocol::Desync& desync) override { ended.push_back(desync); }

  std::vector<protocol::Desync> ended;
};

class DesyncReporterTest : public testing::Test {
 protected:
  DesyncReporterTest() { wrong_[70].velocity.y = 9; }

  void begin(Instant now) {
    reporter_.on_desync({.name = name(), .entities = wrong_, .base = truth_}, {}, {5}, now);
  }

  [[nodiscard]] protocol::ViewName name() const {
    return {.tick = {900},
            .server_hash = protocol::view_hash(truth_),
            .client_hash = protocol::view_hash(wrong_),
            .base_age = 2};
  }

  [[nodiscard]] protocol::ViewPart answer(std::uint8_t number) const {
    return protocol::part_of(name(), truth_, number);
  }

  /// The parts that go out with `packets` packets of inputs.
  std::vector<protocol::ViewPart> sent(Instant from, int packets) {
    std::vector<protocol::ViewPart> parts;
    for (int i = 0; i < packets; ++i) {
      if (auto part = reporter_.next_part(from + i * kTick)) parts.push_back(*part);
    }
    return parts;
  }

  std::vector<game::EntityState> truth_ = crates(100);
  std::vector<game::EntityState> wrong_ = truth_;
  KeepingSink sink_;
  DesyncReporter reporter_{&sink_};
};

TEST_F(DesyncReporterTest, SendsNothingWithoutAWrongView) {
  EXPECT_TRUE(sent(kStart, 100).empty());
  reporter_.expire(kStart);
  reporter_.give_up();
  EXPECT_TRUE(sink_.ended.empty());
  EXPECT_EQ(reporter_.desyncs(), 0U);
  EXPECT_FALSE(reporter_.first_mismatch());
  EXPECT_EQ(reporter_.take(answer(0)).error(), DropReason::Unexpected);
}

TEST_F(DesyncReporterTest, SendsItsViewAtOnceAndAtABoundedPace) {
  begin(kStart);
  auto parts = sent(kStart, kInputsPerPart);
  EXPECT_EQ(parts.size(), 1U);
  for (const protocol::ViewPart& part : sent(kStart, kInputsPerPart + 1)) {
    parts.push_back(part);
  }
  ASSERT_EQ(parts.size(), 3U);
  protocol::ViewParts whole;
  for (const protocol::ViewPart& part : parts) {
    EXPECT_TRUE(whole.take(part));
  }
  ASSERT_TRUE(whole.is_whole());
  EXPECT_TRUE(std::ranges::equal(whole.members(), wrong_));
}

TEST_F(DesyncReporterTest, RepeatsUntilItIsAnsweredAndThenNoMore) {
  begin(kStart);
  const int packets = static_cast<int>(kDesyncReportPatience / kTick);
  const std::size_t in_vain = sent(kStart, packets).size();
  EXPECT_GT(in_vain, 3U * 5);
  EXPECT_LT(in_vain, 3U * 10) << "rounds, with a rest between them";
  for (const std::uint8_t number : std::to_array<std::uint8_t>({2, 0})) {
    ASSERT_TRUE(reporter_.take(answer(number)));
    EXPECT_TRUE(sink_.ended.empty());
  }
  ASSERT_TRUE(reporter_.take(answer(1)));
  ASSERT_EQ(sink_.ended.size(), 1U);
  const protocol::Desync& desync = sink_.ended[0];
  EXPECT_EQ(desync.end, DesyncEnd::Compared);
  EXPECT_EQ(desync.seat, PlayerId{5});
  EXPECT_EQ(desync.server_view, truth_);
  EXPECT_EQ(desync.client_view, wrong_);
  EXPECT_EQ(desync.base_view, truth_);
  EXPECT_EQ(desync.difference->first, wrong_[70].id);
  EXPECT_EQ(desync.difference->first_fields[0], (game::FieldDifference{"vy", 0, 9}));
  EXPECT_EQ(reporter_.first_mismatch()->difference->first, wrong_[70].id);
  EXPECT_TRUE(sent(kStart + kDesyncReportPatience, 100).empty());
}

TEST_F(DesyncReporterTest, SaysWhichPartsHaveCome) {
  begin(kStart);
  (void)sent(kStart, 5);
  ASSERT_TRUE(reporter_.take(answer(1)));
  const auto parts = sent(kStart + kReportRoundPause + milliseconds{100}, 2);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].arrived, 0b010);
}

TEST_F(DesyncReporterTest, EndsWhereTheServerHasForgotten) {
  begin(kStart);
  ASSERT_TRUE(reporter_.take({.view = name(), .parts = 0, .bodies = {}}));
  ASSERT_EQ(sink_.ended.size(), 1U);
  EXPECT_EQ(sink_.ended[0].end, DesyncEnd::Forgotten);
  EXPECT_EQ(sink_.ended[0].client_view, wrong_);
  EXPECT_FALSE(sink_.ended[0].server_view);
}

TEST_F(DesyncReporterTest, EndsWithoutAnAnswer) {
  begin(kStart);
  reporter_.expire(kStart + kDesyncReportPatience - milliseconds{1});
  EXPECT_TRUE(sink_.ended.empty());
  reporter_.expire(kStart + kDesyncReportPatience);
  ASSERT_EQ(sink_.ended.size(), 1U);
  EXPECT_EQ(sink_.ended[0].end, DesyncEnd::Unanswered);
  EXPECT_EQ(sink_.ended[0].client_view, wrong_);
  begin(kStart + kReportStartInterval);
  reporter_.give_up();
  reporter_.give_up();
  EXPECT_EQ(sink_.ended.size(), 2U);
}

TEST_F(DesyncReporterTest, ReportsOneAtATimeAndNotTooOften) {
  begin(kStart);
  const protocol::ViewName first = name();
  wrong_[3].min.x = -1;
  begin(kStart + kTick);
  EXPECT_EQ(sent(kStart, 1).at(0).view, first);
  reporter_.give_up();
  ASSERT_EQ(sink_.ended.size(), 1U);
  begin(kStart + kReportStartInterval - kTick);
  EXPECT_TRUE(sent(kStart + kReportStartInterval, 10).empty());
  begin(kStart + kReportStartInterval);
  EXPECT_EQ(sent(kStart + kReportStartInterval, 1).size(), 1U);
}

// The server's answer is checked against the hash that it sent earlier.
TEST_F(DesyncReporterTest, RefusesAnAnswerThatIsNone) {
  begin(kStart);
  protocol::ViewPart other = answer(0);
  other.view.tick = {901};
  EXPECT_EQ(reporter_.take(other).error(), DropReason::Unexpected);
  std::vector<game::EntityState> lie = truth_;
  lie[50].min.y = 1;
  EXPECT_TRUE(reporter_.take(protocol::part_of(name(), lie, 0)));
  EXPECT_TRUE(reporter_.take(protocol::part_of(name(), lie, 1)));
  EXPECT_EQ(reporter_.take(protocol::part_of(name(), lie, 2)).error(), DropReason::Malformed);
  for (const std::uint8_t number : std::to_array<std::uint8_t>({0, 1})) {
    EXPECT_TRUE(reporter_.take(answer(number)));
  }
  EXPECT_TRUE(reporter_.take(answer(2)));
  EXPECT_EQ(sink_.ended.size(), 1U) << "and takes the true one after it";
}

}  // namespace
}  // namespace tickbox::client
