#include "client/verification/desync_reporter.h"

#include "engine/entity_id.h"
#include "tests/support/field_game.h"
#include "views/view_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace tickbox::client::desync_reporter_test {
namespace {

using desync::DesyncEnd;
using net::DropReason;
using std::chrono::milliseconds;

constexpr Instant kStart{std::chrono::seconds{100}};
constexpr Duration kTick = milliseconds{17};

constexpr std::size_t kCrates = 200;
constexpr std::size_t kWrong = 70;  ///< the crate that differs

namespace field = tests::field;

/// A view of crates in a row; changes one.
HeldView crates(std::size_t changed, const std::function<void(views::RowHead&)>& change) {
  HeldView view{
      .tick = {900}, .rows = views::Rows{field::game()}, .room = field::bytes_of(field::Weather{})};
  for (std::uint32_t i = 0; i < kCrates; ++i) {
    views::RowHead head{.id = engine::spawned_id(engine::IdClass::ByServer,
                                                 {.lineage = engine::kSeatsMax + i, .tick = {1}}),
                        .min = {.x = static_cast<std::int32_t>(i) * 2 * kUnit, .y = 0},
                        .velocity = {},
                        .kind = 1};
    if (i == changed) change(head);
    const std::vector<std::byte> state = field::bytes_of(field::Crate{});
    view.rows.add({.head = head, .state = state, .input = {}});
  }
  return view;
}

views::ViewState state_of(const HeldView& view) {
  return {.rows = view.rows, .room = view.room};
}

std::uint32_t hash_of(const HeldView& view) {
  return static_cast<std::uint32_t>(views::hash_of(state_of(view)) & 0xffff'ffff);
}

std::vector<std::byte> bytes_of(const HeldView& view) {
  std::vector<std::byte> bytes;
  views::encode_view_state(state_of(view), view.tick, bytes);
  return bytes;
}

bool are_equal(const std::optional<views::ViewState>& a, const HeldView& b) {
  return a && !views::compare_views(*a, state_of(b));
}

/// The desyncs of the reports that have ended.
class KeepingSink final : public desync::DesyncSink {
 public:
  void record(const desync::Desync& desync) override { ended.push_back(desync); }

  std::vector<desync::Desync> ended;
};

class DesyncReporterTest : public testing::Test {
 protected:
  DesyncReporterTest() { EXPECT_EQ(protocol::parts_of(bytes_of(wrong_).size()), 3); }

  void begin(Instant now) {
    reporter_.on_desync({.head = {.tick = {900}, .base_age = 2, .view_hash = hash_of(truth_)},
                         .client_hash = hash_of(wrong_),
                         .view = &wrong_,
                         .base = &truth_,
                         .content = &content_,
                         .bytes = {}},
                        {5}, now);
  }

  [[nodiscard]] protocol::ViewName name() const {
    return {.tick = {900},
            .server_hash = hash_of(truth_),
            .client_hash = hash_of(wrong_),
            .base_age = 2};
  }

  [[nodiscard]] protocol::ViewPart answer(std::uint8_t number) const {
    return protocol::part_of(name(), bytes_of(truth_), number);
  }

  /// The parts that go out with `packets` packets of inputs.
  std::vector<protocol::ViewPart> sent(Instant from, int packets) {
    std::vector<protocol::ViewPart> parts;
    for (int i = 0; i < packets; ++i) {
      if (auto part = reporter_.next_part(from + i * kTick)) parts.push_back(*part);
    }
    return parts;
  }

  HeldView truth_ = crates(kCrates, nullptr);
  HeldView wrong_ = crates(kWrong, [](views::RowHead& head) { head.velocity.y = 9; });
  views::Content content_{field::game()};
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
  EXPECT_EQ(reporter_.receive(answer(0)).error(), DropReason::Unexpected);
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
    EXPECT_TRUE(whole.add(part));
  }
  ASSERT_TRUE(whole.is_whole());
  EXPECT_TRUE(std::ranges::equal(whole.bytes(), bytes_of(wrong_)));
}

TEST_F(DesyncReporterTest, RepeatsUntilItIsAnsweredAndThenNoMore) {
  begin(kStart);
  const int packets = static_cast<int>(kDesyncReportPatience / kTick);
  const std::size_t in_vain = sent(kStart, packets).size();
  EXPECT_GT(in_vain, 3U * 5);
  EXPECT_LT(in_vain, 3U * 10) << "rounds, with a rest between them";
  for (const std::uint8_t number : std::to_array<std::uint8_t>({2, 0})) {
    ASSERT_TRUE(reporter_.receive(answer(number)));
    EXPECT_TRUE(sink_.ended.empty());
  }
  ASSERT_TRUE(reporter_.receive(answer(1)));
  ASSERT_EQ(sink_.ended.size(), 1U);
  const desync::Desync& desync = sink_.ended[0];
  EXPECT_EQ(desync.end, desync::DesyncEnd::Compared);
  EXPECT_EQ(desync.seat, PlayerId{5});
  EXPECT_TRUE(are_equal(desync.server_view, truth_));
  EXPECT_TRUE(are_equal(desync.client_view, wrong_));
  EXPECT_TRUE(are_equal(desync.base_view, truth_));
  const BodyId wrong = wrong_.rows.head(kWrong).id;
  EXPECT_EQ(desync.difference->entity, wrong);
  EXPECT_EQ(desync.difference->first_fields[0],
            (engine::FieldDifference{.field = "vy", .expected = "0", .got = "9"}));
  EXPECT_EQ(reporter_.first_mismatch()->difference->entity, wrong);
  EXPECT_TRUE(sent(kStart + kDesyncReportPatience, 100).empty());
}

TEST_F(DesyncReporterTest, SaysWhichPartsHaveCome) {
  begin(kStart);
  (void)sent(kStart, 5);
  ASSERT_TRUE(reporter_.receive(answer(1)));
  const auto parts = sent(kStart + kReportRoundPause + milliseconds{100}, 2);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].arrived, 0b010);
}

TEST_F(DesyncReporterTest, EndsWhereTheServerHasForgotten) {
  begin(kStart);
  ASSERT_TRUE(reporter_.receive({.view = name(), .parts = 0, .bytes = {}}));
  ASSERT_EQ(sink_.ended.size(), 1U);
  EXPECT_EQ(sink_.ended[0].end, desync::DesyncEnd::Forgotten);
  EXPECT_TRUE(are_equal(sink_.ended[0].client_view, wrong_));
  EXPECT_FALSE(sink_.ended[0].server_view);
}

TEST_F(DesyncReporterTest, EndsWithoutAnAnswer) {
  begin(kStart);
  reporter_.expire(kStart + kDesyncReportPatience - milliseconds{1});
  EXPECT_TRUE(sink_.ended.empty());
  reporter_.expire(kStart + kDesyncReportPatience);
  ASSERT_EQ(sink_.ended.size(), 1U);
  EXPECT_EQ(sink_.ended[0].end, desync::DesyncEnd::Unanswered);
  EXPECT_TRUE(are_equal(sink_.ended[0].client_view, wrong_));
  begin(kStart + kReportStartInterval);
  reporter_.give_up();
  reporter_.give_up();
  EXPECT_EQ(sink_.ended.size(), 2U);
}

TEST_F(DesyncReporterTest, ReportsOneAtATimeAndNotTooOften) {
  begin(kStart);
  const protocol::ViewName first = name();
  wrong_ = crates(3, [](views::RowHead& head) { head.min.x = -1; });
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
  EXPECT_EQ(reporter_.receive(other).error(), DropReason::Unexpected);
  const std::vector<std::byte> lie =
      bytes_of(crates(50, [](views::RowHead& head) { head.min.y = 1; }));
  EXPECT_TRUE(reporter_.receive(protocol::part_of(name(), lie, 0)));
  EXPECT_TRUE(reporter_.receive(protocol::part_of(name(), lie, 1)));
  EXPECT_EQ(reporter_.receive(protocol::part_of(name(), lie, 2)).error(), DropReason::Malformed);
  for (const std::uint8_t number : std::to_array<std::uint8_t>({0, 1})) {
    EXPECT_TRUE(reporter_.receive(answer(number)));
  }
  EXPECT_TRUE(reporter_.receive(answer(2)));
  EXPECT_EQ(sink_.ended.size(), 1U) << "and takes the true one after it";
}

}  // namespace
}  // namespace tickbox::client::desync_reporter_test
