#include "server/shard/desync_reports.h"

#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "protocol/view_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace tickbox::server {
namespace {

using net::DropReason;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kStart{seconds{100}};
constexpr std::uint32_t kTickRate = 60;

std::size_t bytes_of(const protocol::ViewPart& part) {
  return net::kPacketOverheadBytes + protocol::view_part_bytes(part.bodies.size());
}

/// A room after some ticks, and sessions that have received all of its entities.
class DesyncReportsTest : public testing::Test {
 protected:
  DesyncReportsTest() {
    for (std::size_t i = 0; i < kSessions; ++i) {
      Session& session = sessions_[i];
      session.player = {static_cast<std::uint16_t>(i)};
      session.channel =
          net::PacketChannel{{}, static_cast<std::uint32_t>(i + 1), net::Direction::ToClient};
      session.snapshots.views = std::make_unique<SentViews>(base_age_max(kTickRate));
    }
    pass_ticks(10);
  }

  void pass_ticks(std::uint32_t ticks) {
    for (std::uint32_t i = 0; i < ticks; ++i) {
      room_.tick({});
      for (Session& session : sessions_) {
        ViewMembers& members = session.snapshots.views->add(room_.world().tick);
        for (const SlotId slot : room_.replication_log().slots().present()) {
          members.push_back(slot);
        }
        session.snapshots.receipts.on_sent(room_.world().tick, protocol::view_hash(truth()), 0, {});
      }
    }
  }

  [[nodiscard]] std::vector<game::EntityState> truth() const {
    return {room_.entities().begin(), room_.entities().end()};
  }

  [[nodiscard]] protocol::ViewName name_of(const std::vector<game::EntityState>& wrong) const {
    return {.tick = room_.world().tick,
            .server_hash = protocol::view_hash(truth()),
            .client_hash = protocol::view_hash(wrong),
            .base_age = 3};
  }

  auto take(Session& session, const protocol::ViewPart& part, Instant now) {
    return reports_.take(session, room_, part, bytes_of(part), now);
  }

  /// Takes all parts of a view, and returns the result of the last one.
  auto take_all(Session& session, const protocol::ViewName& name,
                const std::vector<game::EntityState>& wrong, Instant now) {
    for (std::uint8_t i = 0; i + 1 < protocol::parts_of(wrong.size()); ++i) {
      EXPECT_TRUE(take(session, protocol::part_of(name, wrong, i), now));
    }
    return take(session,
                protocol::part_of(name, wrong,
                                  static_cast<std::uint8_t>(protocol::parts_of(wrong.size()) - 1)),
                now);
  }

  std::vector<protocol::ViewPart> answers(const Session& session) {
    std::vector<protocol::ViewPart> parts;
    while (auto part = reports_.next_answer(session))
      parts.push_back(*part);
    return parts;
  }

  static constexpr std::size_t kSessions = 32;
  Room room_{game::make_arena_map(300), std::make_shared<const game::Arena>(kTickRate), 1,
             kTickRate};
  std::array<Session, kSessions> sessions_;
  DesyncReports reports_;
};

TEST_F(DesyncReportsTest, ComparesAndAnswersWithTheTruth) {
  ASSERT_GT(truth().size(), protocol::kViewPartBodies) << "parts";
  std::vector<game::EntityState> wrong = truth();
  wrong[4].velocity.x += 1;
  const protocol::ViewName name = name_of(wrong);
  EXPECT_TRUE(answers(sessions_[0]).empty());
  const auto taken = take_all(sessions_[0], name, wrong, kStart);
  ASSERT_TRUE(taken && taken->compared);
  EXPECT_EQ(taken->compared->server_view, truth());
  EXPECT_EQ(taken->compared->client_view, wrong);
  EXPECT_EQ(taken->compared->difference->first, wrong[4].id);
  EXPECT_EQ(taken->compared->difference->first_fields[0].field, "vx");
  ASSERT_TRUE(taken->compared->base_view);
  EXPECT_EQ(taken->compared->base_view->size(), truth().size());
  protocol::ViewParts whole;
  for (const protocol::ViewPart& part : answers(sessions_[0])) {
    EXPECT_EQ(part.view, name);
    EXPECT_TRUE(whole.take(part));
  }
  ASSERT_TRUE(whole.is_whole());
  EXPECT_TRUE(std::ranges::equal(whole.members(), truth()));
  EXPECT_TRUE(answers(sessions_[0]).empty());
  EXPECT_TRUE(answers(sessions_[1]).empty());
}

// The truth is that of the reported tick. It is saved when the first part arrives.
TEST_F(DesyncReportsTest, RemembersTheTruthFromTheFirstPartOn) {
  const std::vector<game::EntityState> then = truth();
  std::vector<game::EntityState> wrong = then;
  wrong[0].min.x += 1;
  const protocol::ViewName name = name_of(wrong);
  ASSERT_TRUE(take(sessions_[0], protocol::part_of(name, wrong, 0), kStart));
  pass_ticks(100);
  for (std::uint8_t i = 1; i < protocol::parts_of(wrong.size()); ++i) {
    const auto taken = take(sessions_[0], protocol::part_of(name, wrong, i), kStart + seconds{2});
    ASSERT_TRUE(taken);
    if (taken->compared) {
      EXPECT_EQ(taken->compared->server_view, then);
    }
  }
  EXPECT_FALSE(answers(sessions_[0]).empty());
}

// A move of the client renews the connection id.
TEST_F(DesyncReportsTest, OutlivesTheConnectionId) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  const protocol::ViewName name = name_of(wrong);
  ASSERT_TRUE(take(sessions_[0], protocol::part_of(name, wrong, 0), kStart));
  sessions_[0].channel.set_connection(99);
  bool is_compared = false;
  for (std::uint8_t i = 1; i < protocol::parts_of(wrong.size()); ++i) {
    const auto taken = take(sessions_[0], protocol::part_of(name, wrong, i), kStart + seconds{1});
    ASSERT_TRUE(taken);
    is_compared = taken->compared.has_value();
  }
  EXPECT_TRUE(is_compared);
  EXPECT_FALSE(answers(sessions_[0]).empty());
}

TEST_F(DesyncReportsTest, AnswersAgainWithWhatIsMissing) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  const protocol::ViewName name = name_of(wrong);
  ASSERT_TRUE(take_all(sessions_[0], name, wrong, kStart));
  const auto all = answers(sessions_[0]);
  protocol::ViewPart again = protocol::part_of(name, wrong, 0);
  const auto last = static_cast<std::uint8_t>(all.size() - 1);
  again.arrived = static_cast<std::uint8_t>((1U << last) - 1);
  ASSERT_TRUE(take(sessions_[0], again, kStart + seconds{1}));
  const auto missing = answers(sessions_[0]);
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].part, last);
}

// A client that sends an empty view gets no more bytes in return than it has sent.
TEST_F(DesyncReportsTest, AnswersWithNoMoreBytesThanHaveCome) {
  const std::vector<game::EntityState> wrong;
  const protocol::ViewName name = name_of(wrong);
  std::size_t in = 0;
  std::size_t out = 0;
  const protocol::ViewPart part = protocol::part_of(name, wrong, 0);
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

TEST_F(DesyncReportsTest, SaysWhatItHasForgotten) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  const protocol::ViewName name = name_of(wrong);
  pass_ticks(61);
  const auto taken = take(sessions_[0], protocol::part_of(name, wrong, 0), kStart);
  ASSERT_TRUE(taken);
  EXPECT_TRUE(taken->is_forgotten);
  EXPECT_TRUE(answers(sessions_[0]).empty());
  EXPECT_FALSE(reports_.forget(sessions_[0])) << "nothing is kept for it";
  const auto again = take(sessions_[0], protocol::part_of(name, wrong, 0), kStart);
  ASSERT_FALSE(again) << "it counts as a report";
  EXPECT_TRUE(again.error().is_limited);
}

TEST_F(DesyncReportsTest, RefusesViewsThatWereNeverSent) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  protocol::ViewName name = name_of(wrong);
  name.tick = name.tick + 1;
  EXPECT_EQ(take(sessions_[0], protocol::part_of(name, wrong, 0), kStart).error().reason,
            DropReason::Unexpected)
      << "of a tick to come";
  name = name_of(wrong);
  name.server_hash ^= 1;
  EXPECT_EQ(take(sessions_[0], protocol::part_of(name, wrong, 0), kStart).error().reason,
            DropReason::Unexpected)
      << "of a hash that was not told";
  EXPECT_FALSE(sessions_[0].reported);
}

TEST_F(DesyncReportsTest, RefusesPartsThatDoNotMakeTheirView) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  protocol::ViewName name = name_of(wrong);
  name.client_hash ^= 1;
  const auto lie = take_all(sessions_[0], name, wrong, kStart);
  ASSERT_FALSE(lie);
  EXPECT_EQ(lie.error().reason, DropReason::Malformed);
  EXPECT_FALSE(reports_.forget(sessions_[0])) << "its report is over";
  EXPECT_TRUE(answers(sessions_[0]).empty());
  EXPECT_EQ(take(sessions_[1], {.view = name, .parts = 0, .bodies = {}}, kStart).error().reason,
            DropReason::Malformed)
      << "a client does not forget";
}

TEST_F(DesyncReportsTest, TracesOneOfASessionAndNotTooOften) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  ASSERT_TRUE(take_all(sessions_[0], name_of(wrong), wrong, kStart));
  const auto again = [&](Instant now) {
    wrong[0].min.x += 1;
    return take(sessions_[0], protocol::part_of(name_of(wrong), wrong, 0), now);
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
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  std::int64_t begun = 0;
  for (Session& session : sessions_) {
    begun += take(session, protocol::part_of(name_of(wrong), wrong, 0), kStart) ? 1 : 0;
  }
  EXPECT_EQ(begun, kDesyncReports.burst);
}

TEST_F(DesyncReportsTest, TellsOfWhatWasNotFinished) {
  std::vector<game::EntityState> wrong = truth();
  wrong[0].min.x += 1;
  const protocol::ViewName name = name_of(wrong);
  for (const std::size_t i : {0U, 1U}) {
    ASSERT_TRUE(take(sessions_[i], protocol::part_of(name, wrong, 1), kStart));
  }
  ASSERT_TRUE(take_all(sessions_[2], name, wrong, kStart)->compared);
  const auto left = reports_.forget(sessions_[1]);
  ASSERT_TRUE(left);
  EXPECT_EQ(left->seat, sessions_[1].player);
  EXPECT_EQ(left->view, name);
  EXPECT_EQ(left->arrived, 0b10);
  EXPECT_EQ(left->parts, protocol::parts_of(wrong.size()));
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
