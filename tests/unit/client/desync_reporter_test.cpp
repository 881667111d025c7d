#include "client/spectator/desync_reporter.h"

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

class DesyncReporterTest : public testing::Test {
 protected:
  DesyncReporterTest() { wrong_[70].velocity.y = 9; }

  void begin(Instant now) {
    reporter_.begin({.name = name(), .entities = wrong_, .base = truth_}, {}, {5}, now);
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
  DesyncReporter reporter_;
};

TEST_F(DesyncReporterTest, SendsNothingWithoutAWrongView) {
  EXPECT_TRUE(sent(kStart, 100).empty());
  EXPECT_FALSE(reporter_.expire(kStart));
  EXPECT_FALSE(reporter_.give_up());
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
    const auto taken = reporter_.take(answer(number));
    ASSERT_TRUE(taken);
    EXPECT_FALSE(*taken);
  }
  const auto taken = reporter_.take(answer(1));
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->end, DesyncEnd::Compared);
  EXPECT_EQ((*taken)->seat, PlayerId{5});
  EXPECT_EQ((*taken)->server_view, truth_);
  EXPECT_EQ((*taken)->client_view, wrong_);
  EXPECT_EQ((*taken)->base_view, truth_);
  EXPECT_EQ((*taken)->difference->first, wrong_[70].id);
  EXPECT_EQ((*taken)->difference->first_fields[0], (game::FieldDifference{"vy", 0, 9}));
  EXPECT_TRUE(sent(kStart + kDesyncReportPatience, 100).empty());
}

TEST_F(DesyncReporterTest, SaysWhichPartsHaveCome) {
  begin(kStart);
  (void)sent(kStart, 5);
  ASSERT_TRUE(reporter_.take(answer(1)));
  const auto parts = sent(kStart + kTraceAgain + milliseconds{100}, 2);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].arrived, 0b010);
}

TEST_F(DesyncReporterTest, EndsWhereTheServerHasForgotten) {
  begin(kStart);
  const auto taken = reporter_.take({.view = name(), .parts = 0, .bodies = {}});
  ASSERT_TRUE(taken && *taken);
  EXPECT_EQ((*taken)->end, DesyncEnd::Forgotten);
  EXPECT_EQ((*taken)->client_view, wrong_);
  EXPECT_FALSE((*taken)->server_view);
}

TEST_F(DesyncReporterTest, EndsWithoutAnAnswer) {
  begin(kStart);
  EXPECT_FALSE(reporter_.expire(kStart + kDesyncReportPatience - milliseconds{1}));
  const auto over = reporter_.expire(kStart + kDesyncReportPatience);
  ASSERT_TRUE(over);
  EXPECT_EQ(over->end, DesyncEnd::Unanswered);
  EXPECT_EQ(over->client_view, wrong_);
  begin(kStart + kDesyncReportInterval);
  EXPECT_TRUE(reporter_.give_up());
  EXPECT_FALSE(reporter_.give_up());
}

TEST_F(DesyncReporterTest, TracesOneAtATimeAndNotTooOften) {
  begin(kStart);
  const protocol::ViewName first = name();
  wrong_[3].min.x = -1;
  begin(kStart + kTick);
  EXPECT_EQ(sent(kStart, 1).at(0).view, first);
  ASSERT_TRUE(reporter_.give_up());
  begin(kStart + kDesyncReportInterval - kTick);
  EXPECT_TRUE(sent(kStart + kDesyncReportInterval, 10).empty());
  begin(kStart + kDesyncReportInterval);
  EXPECT_EQ(sent(kStart + kDesyncReportInterval, 1).size(), 1U);
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
  const auto taken = reporter_.take(answer(2));
  EXPECT_TRUE(taken && *taken) << "and takes the true one after it";
}

}  // namespace
}  // namespace tickbox::client
