#include "server/shard/desync_reports.h"

#include "engine/map.h"
#include "games/arena/arena.h"
#include "protocol/messages.h"
#include "server/shard/hosted_room.h"
#include "views/view_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tickbox::server {
namespace {

using net::DropReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{seconds{100}};
constexpr std::uint32_t kTickRate = 60;

std::size_t bytes_of(const protocol::ViewPart& part) {
  return net::kPacketOverheadBytes + protocol::view_part_bytes(part.bytes.size());
}

std::uint32_t low_hash(const views::ViewState& view) {
  return static_cast<std::uint32_t>(views::hash_of(view) & 0xffff'ffff);
}

/// Returns a view in which one row is `by` sub-units further to the right.
views::ViewState moved(const views::ViewState& view, std::size_t which, std::int32_t by = 1) {
  views::ViewState wrong{.rows = views::Rows{view.rows.game()}, .room = view.room};
  for (std::size_t i = 0; i < view.rows.size(); ++i) {
    views::RowRef row = view.rows.row(i);
    if (i == which) row.head.min.x += by;
    wrong.rows.add(row);
  }
  return wrong;
}

/// A match after some ticks, and sessions that have received all of its entities.
class DesyncReportsTest : public testing::Test {
 protected:
  /// A view as a client reports it.
  struct Reported {
    views::ViewState view;
    protocol::ViewName name;
    std::vector<std::byte> bytes;

    [[nodiscard]] std::uint8_t parts() const { return protocol::parts_of(bytes.size()); }

    [[nodiscard]] protocol::ViewPart part(std::uint8_t number) const {
      return protocol::part_of(name, bytes, number);
    }
  };

  DesyncReportsTest() {
    for (std::size_t i = 0; i < kSessions; ++i) {
      Session& session = sessions_[i];
      session.room = &room_;
      session.player = {static_cast<std::uint16_t>(i)};
      session.channel =
          net::PacketChannel{{}, static_cast<std::uint32_t>(i + 1), net::Direction::ToClient};
      session.snapshots.views.emplace(base_age_max(kTickRate));
    }
    pass_ticks(10);
  }

  void pass_ticks(std::uint32_t ticks) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      match_.tick({.leaves = {}, .joins = {}, .inputs = {}});
      for (Session& session : sessions_) {
        session.snapshots.views->add(now(), match_.history().slots().present());
        session.snapshots.receipts.on_sent(now(), low_hash(truth()), 0, {});
      }
    }
  }

  [[nodiscard]] Tick now() const { return match_.world().tick; }

  [[nodiscard]] views::ViewState truth() const {
    return {.rows = match_.state().rows, .room = match_.state().room};
  }

  [[nodiscard]] std::vector<std::byte> bits_of(const views::ViewState& view) const {
    std::vector<std::byte> bytes;
    views::encode_view_state(view, now(), bytes);
    return bytes;
  }

  [[nodiscard]] Reported reported(const views::ViewState& wrong) const {
    return {.view = wrong,
            .name = {.tick = now(),
                     .server_hash = low_hash(truth()),
                     .client_hash = low_hash(wrong),
                     .base_age = 3},
            .bytes = bits_of(wrong)};
  }

  /// The truth with its first row elsewhere.
  [[nodiscard]] Reported wrong() const { return reported(moved(truth(), 0)); }

  auto take(Session& session, const protocol::ViewPart& part, Instant now) {
    return reports_.receive(session, match_, part, bytes_of(part), now);
  }

  /// Takes all parts of a view, and returns the result of the last one.
  auto take_all(Session& session, const Reported& wrong, Instant now) {
    for (std::uint8_t i = 0; i + 1 < wrong.parts(); ++i) {
      EXPECT_TRUE(take(session, wrong.part(i), now));
    }
    return take(session, wrong.part(static_cast<std::uint8_t>(wrong.parts() - 1)), now);
  }

  std::vector<protocol::ViewPart> answers(const Session& session) {
    std::vector<protocol::ViewPart> parts;
    while (auto part = reports_.next_answer(session))
      parts.push_back(*part);
    return parts;
  }

  static constexpr std::size_t kSessions = 32;
  Match match_{games::arena(), engine::make_map(games::arena(), {.seats = 300}, kTickRate),
               kTickRate, 1};
  HostedRoom room_{{.match = match_}, 300, kTickRate};
  std::array<Session, kSessions> sessions_;
  DesyncReports reports_;
};

TEST_F(DesyncReportsTest, ComparesAndAnswersWithTheTruth) {
  const Reported wrong = reported(moved(truth(), 4));
  ASSERT_GT(wrong.parts(), 1);
  EXPECT_TRUE(answers(sessions_[0]).empty());
  const auto taken = take_all(sessions_[0], wrong, kStart);
  ASSERT_TRUE(taken && taken->compared);
  EXPECT_EQ(bits_of(*taken->compared->server_view), bits_of(truth()));
  EXPECT_EQ(bits_of(*taken->compared->client_view), wrong.bytes);
  EXPECT_EQ(taken->compared->difference->entity, wrong.view.rows.head(4).id);
  EXPECT_EQ(taken->compared->difference->first_fields[0].field, "x");
  ASSERT_TRUE(taken->compared->base_view);
  EXPECT_EQ(taken->compared->base_view->rows.size(), truth().rows.size());
  protocol::ViewParts whole;
  for (const protocol::ViewPart& part : answers(sessions_[0])) {
    EXPECT_EQ(part.view, wrong.name);
    EXPECT_TRUE(whole.add(part));
  }
  ASSERT_TRUE(whole.is_whole());
  EXPECT_TRUE(std::ranges::equal(whole.bytes(), bits_of(truth())));
  EXPECT_TRUE(answers(sessions_[0]).empty());
  EXPECT_TRUE(answers(sessions_[1]).empty());
}

// The truth is that of the reported tick. It is saved when the first part arrives.
TEST_F(DesyncReportsTest, RemembersTheTruthFromTheFirstPartOn) {
  const views::ViewState then = truth();
  const Reported wrong = this->wrong();
  ASSERT_TRUE(take(sessions_[0], wrong.part(0), kStart));
  pass_ticks(100);
  for (std::uint8_t i = 1; i < wrong.parts(); ++i) {
    const auto taken = take(sessions_[0], wrong.part(i), kStart + seconds{2});
    ASSERT_TRUE(taken);
    if (taken->compared) {
      EXPECT_EQ(bits_of(*taken->compared->server_view), bits_of(then));
    }
  }
  EXPECT_FALSE(answers(sessions_[0]).empty());
}

// A move of the client renews the connection id.
TEST_F(DesyncReportsTest, OutlivesTheConnectionId) {
  const Reported wrong = this->wrong();
  ASSERT_TRUE(take(sessions_[0], wrong.part(0), kStart));
  sessions_[0].channel.set_connection(99);
  bool is_compared = false;
  for (std::uint8_t i = 1; i < wrong.parts(); ++i) {
    const auto taken = take(sessions_[0], wrong.part(i), kStart + seconds{1});
    ASSERT_TRUE(taken);
    is_compared = taken->compared.has_value();
  }
  EXPECT_TRUE(is_compared);
  EXPECT_FALSE(answers(sessions_[0]).empty());
}

TEST_F(DesyncReportsTest, AnswersAgainWithWhatIsMissing) {
  const Reported wrong = this->wrong();
  ASSERT_TRUE(take_all(sessions_[0], wrong, kStart));
  const auto all = answers(sessions_[0]);
  protocol::ViewPart again = wrong.part(0);
  const auto last = static_cast<std::uint8_t>(all.size() - 1);
  again.arrived = (std::uint64_t{1} << last) - 1;
  ASSERT_TRUE(take(sessions_[0], again, kStart + seconds{1}));
  const auto missing = answers(sessions_[0]);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].part, last);
}

// A client that sends an empty view gets no more bytes in return than it has sent.
TEST_F(DesyncReportsTest, AnswersWithNoMoreBytesThanHaveCome) {
  const Reported empty =
      reported({.rows = views::Rows{games::arena()}, .room = match_.state().room});
  std::size_t in = 0;
  std::size_t out = 0;
  const protocol::ViewPart part = empty.part(0);
  for (int i = 0; i < 100; ++i) {
    const auto taken = take(sessions_[0], part, kStart + i * milliseconds{30});
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->compared.has_value(), i == 0) << "compared once";
    in += bytes_of(part);
    for (const protocol::ViewPart& each : answers(sessions_[0])) {
      out += bytes_of(each);
    }
    EXPECT_LE(out, in);
  }
  EXPECT_GT(out, bytes_of(part)) << "something, in the end";
}

TEST_F(DesyncReportsTest, RefusesPartsThatDoNotMakeTheirView) {
  Reported wrong = this->wrong();
  wrong.name.client_hash ^= 1;
  const auto lie = take_all(sessions_[0], wrong, kStart);
  ASSERT_FALSE(lie);
  EXPECT_EQ(lie.error().reason, DropReason::Malformed);
  EXPECT_FALSE(reports_.remove(sessions_[0])) << "its report is over";
  EXPECT_TRUE(answers(sessions_[0]).empty());
  EXPECT_EQ(
      take(sessions_[1], {.view = wrong.name, .parts = 0, .bytes = {}}, kStart).error().reason,
      DropReason::Malformed)
      << "a client does not forget";
}

TEST_F(DesyncReportsTest, TracesOneOfASessionAndNotTooOften) {
  ASSERT_TRUE(take_all(sessions_[0], wrong(), kStart));
  std::int32_t by = 1;
  const auto again = [&](Instant now) {
    return take(sessions_[0], reported(moved(truth(), 0, ++by)).part(0), now);
  };
  for (const Duration later :
       {Duration{}, Duration{kDesyncReportKept}, kDesyncReportInterval - milliseconds{1}}) {
    while (reports_.expire(kStart + later)) {
    }
    const auto taken = again(kStart + later);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().reason, DropReason::RateLimited);
    EXPECT_TRUE(taken.error().is_limited);
  }
  EXPECT_TRUE(again(kStart + kDesyncReportInterval));
}

TEST_F(DesyncReportsTest, TracesAFewOfAllSessions) {
  std::int64_t begun = 0;
  for (Session& session : sessions_) {
    begun += take(session, wrong().part(0), kStart) ? 1 : 0;
  }
  EXPECT_EQ(begun, kDesyncReports.burst);
}

TEST_F(DesyncReportsTest, TellsOfWhatWasNotFinished) {
  const Reported wrong = this->wrong();
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_TRUE(take(sessions_[i], wrong.part(1), kStart));
  }
  ASSERT_TRUE(take_all(sessions_[2], wrong, kStart)->compared);
  const auto left = reports_.remove(sessions_[1]);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->seat, sessions_[1].player);
  EXPECT_EQ(left->view, wrong.name);
  EXPECT_EQ(left->arrived, 0b10U);
  EXPECT_EQ(left->parts, wrong.parts());
  EXPECT_FALSE(reports_.expire(kStart + kDesyncReportKept - milliseconds{1}));
  const auto expired = reports_.expire(kStart + kDesyncReportKept);
  ASSERT_TRUE(expired);
  EXPECT_EQ(expired->seat, sessions_[0].player);
  EXPECT_FALSE(reports_.expire(kStart + kDesyncReportKept))
      << "one that was compared has nothing to tell";
  EXPECT_TRUE(answers(sessions_[2]).empty()) << "and is forgotten as well";
}

}  // namespace
}  // namespace tickbox::server
