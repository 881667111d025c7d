// An auditor by itself, with segments of a room as a server sends them.

#include "client/verification/audit.h"

#include "net/handshake.h"
#include "tests/support/changed_game.h"
#include "tests/unit/match/planned_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace tickbox::client {
namespace {

using Taken = StreamReassembly::Taken;

using match::kDown;
using match::kRest;
using match::kRight;
using match::kShoot;
using match::Played;
using match::units;
using net::DropReason;
using Bytes = std::vector<std::byte>;

namespace field = tests::field;

constexpr std::uint32_t kSeats = 8;
constexpr std::uint16_t kA = 0;
constexpr std::uint16_t kB = 1;

/// A room, and its audit segments.
class Told : public match::FieldMatch {
 public:
  explicit Told(std::uint32_t seats = kSeats)
      : FieldMatch({units(0, 0), units(20, 0)}, seats), log_(match().world()) {
    begin();
  }

  void begin() {
    Bytes keyframe;
    log_.keyframe(match().world(), match().hash(), keyframe);
    begin_with(keyframe);
  }

  void begin_with(ConstBytes keyframe) {
    ++run_;
    next_ = 0;
    protocol::encode_keyframe_entry(keyframe, stream_);
  }

  void tick(const std::vector<Played>& played = {}) {
    FieldMatch::tick(played);
    std::vector<engine::PlayerSource> sources;
    for (const Played& each : played) {
      sources.push_back({.player = {each.seat}, .source = engine::InputSource::Received});
    }
    log({.sources = sources, .clients = {}});
  }

  void join(std::uint16_t seat) {
    FieldMatch::join({seat});
    const std::uint64_t client = 77;
    log({.sources = {}, .clients = {&client, 1}});
  }

  void leave(std::uint16_t seat) {
    FieldMatch::leave({seat});
    log({.sources = {}, .clients = {}});
  }

  /// Returns the log's bytes of the newest tick.
  [[nodiscard]] ConstBytes newest() const { return log_.bytes(); }

  /// Appends a tick that no server would send.
  void say(std::uint64_t state_hash, ConstBytes tick) {
    Bytes entry;
    protocol::encode_tick_entry(state_hash, tick, entry);
    stream_.insert(stream_.end(), entry.begin(), entry.end());
  }

  void say_bytes(std::initializer_list<int> bytes) {
    for (const int byte : bytes)
      stream_.push_back(static_cast<std::byte>(byte));
  }

  /// Returns everything since the last call as one segment.
  protocol::AuditSegment segment() {
    protocol::AuditSegment made{
        .head = {.run = static_cast<std::uint8_t>(run_ & 0xff), .segment = next_++},
        .bytes = {},
        .extras = {}};
    for (const std::byte byte : stream_)
      made.bytes.push_back(byte);
    stream_.clear();
    return made;
  }

 private:
  void log(const engine::CommandOrigins& origins) {
    log_.tick(match().record(), origins);
    say(match().hash(), log_.bytes());
  }

  engine::TickLog log_;
  int run_ = -1;
  std::uint16_t next_ = 0;
  Bytes stream_;
};

class AuditorTest : public ::testing::Test {
 protected:
  Auditor auditor() { return {told_.like(), Player{kA}, stepper_}; }

  /// Returns an auditor that has the room's keyframe.
  Auditor begun() {
    Auditor auditor = this->auditor();
    EXPECT_TRUE(auditor.take(told_.segment()));
    return auditor;
  }

  /// The view has the entities of the room and its state.
  void expect_whole(const match::View& view) const {
    const views::Rows& all = told_.match().state().rows;
    EXPECT_EQ(view.tick, told_.now());
    ASSERT_EQ(view.rows->size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_TRUE(views::are_equal(field::game(), view.rows->row(i), all.row(i)));
    }
    EXPECT_EQ(*view.room, told_.match().state().room);
  }

  Told told_;
  engine::Stepper stepper_;
};

TEST_F(AuditorTest, BeginsWithTheWholeRoom) {
  Auditor auditor = this->auditor();
  const auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  expect_whole(**view);
  EXPECT_EQ((*view)->touched, told_.now()) << "nobody knows what was before";
  EXPECT_EQ(auditor.ticks(), 0U);
  EXPECT_EQ(auditor.runs(), 1U);
}

TEST_F(AuditorTest, StepsWhateverEnters) {
  Auditor auditor = begun();
  told_.tick({{.seat = kA, .pad = kDown}, {.seat = kB, .pad = kRight}});
  told_.command_drop(units(5, 5));
  told_.command_rain(7);
  told_.tick({{.seat = kA, .pad = kShoot}, {.seat = kB, .pad = kRest}});
  told_.leave(kB);
  told_.tick({{.seat = kA, .pad = kRest}});
  told_.join(kB);
  told_.join(7);
  const auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  EXPECT_EQ(auditor.ticks(), 6U);
  expect_whole(**view);
}

TEST_F(AuditorTest, WaitsForWhatIsCutInTwo) {
  told_.tick();
  told_.tick({{.seat = kA, .pad = kRight}});
  const protocol::AuditSegment whole = told_.segment();
  Auditor auditor = this->auditor();
  int views = 0;
  for (std::uint16_t i = 0; i < whole.bytes.size(); ++i) {
    protocol::AuditSegment byte{.head = whole.head, .bytes = {}, .extras = {}};
    byte.head.segment = i;
    byte.bytes.push_back(whole.bytes[i]);
    const auto view = auditor.take(byte);
    ASSERT_TRUE(view);
    views += *view ? 1 : 0;
  }
  EXPECT_EQ(views, 3) << "of the room and of two ticks";
  EXPECT_EQ(auditor.ticks(), 2U);
}

TEST_F(AuditorTest, KnowsWhenItsBodyWasTouched) {
  Auditor auditor = begun();
  const auto touched = [&] {
    const auto view = auditor.take(told_.segment());
    EXPECT_TRUE(view && *view);
    return view && *view ? (*view)->touched : Tick{};
  };
  const Tick before = told_.now();
  told_.tick();
  EXPECT_EQ(touched(), before);
  told_.command_paint(kB, 2);
  told_.tick();
  EXPECT_EQ(touched(), before) << "another's";
  told_.command_paint(kA, 2);
  told_.tick();
  EXPECT_EQ(touched(), told_.now()) << "the server has decided for it";
  told_.tick();
  told_.command_rain(1);
  told_.tick();
  EXPECT_EQ(touched(), told_.now()) << "rules may read the room's state";
}

TEST_F(AuditorTest, FindsOneWrongBitOfItsOwnInItsTick) {
  const Tick wrong = told_.now() + 4;
  const BodyId body = told_.body(kA);
  const tests::ChangedGame changed{field::game(), {.after = [&](const tests::MidTick& tick) {
                                     if (tick.tick() == wrong) tick.flip(body, "y", 0);
                                   }}};
  const engine::World like = told_.like();
  Auditor auditor{{changed, like.map(), like.tick_rate(), 0}, Player{kA}, stepper_};
  EXPECT_TRUE(auditor.take(told_.segment()));
  for (int i = 0; i < 6; ++i)
    told_.tick();
  const auto view = auditor.take(told_.segment());
  ASSERT_FALSE(view);
  ASSERT_TRUE(auditor.first_mismatch());
  EXPECT_EQ(auditor.first_mismatch()->tick, wrong);
  EXPECT_NE(auditor.first_mismatch()->got, auditor.first_mismatch()->expected);
  EXPECT_EQ(auditor.ticks(), 4U) << "it is no use to go on";
  EXPECT_TRUE(auditor.ack().wants_new_run);
}

TEST_F(AuditorTest, AsksForAnotherRunUntilItBegins) {
  Auditor auditor = begun();
  EXPECT_FALSE(auditor.ack().wants_new_run);
  told_.say(1, {});
  const auto wrong = auditor.take(told_.segment());
  ASSERT_FALSE(wrong);
  EXPECT_EQ(auditor.first_mismatch()->tick, told_.now() + 1);
  told_.tick();
  const auto more = auditor.take(told_.segment());
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error(), DropReason::Unexpected) << "of no use any more";
  EXPECT_EQ(auditor.mismatches(), 1U);
  EXPECT_TRUE(auditor.ack().wants_new_run);
  told_.begin();
  told_.tick();
  const auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  EXPECT_EQ((*view)->tick, told_.now());
  EXPECT_FALSE(auditor.ack().wants_new_run);
  EXPECT_EQ(auditor.runs(), 2U);
}

// The presentation shows one tick after the other. Before the fix, a server that went back to an
// earlier tick made it fail an assertion.
TEST_F(AuditorTest, RefusesARunThatIsNotNewerThanItsView) {
  Auditor auditor = begun();
  told_.begin();
  const auto again = auditor.take(told_.segment());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), DropReason::Malformed);
  EXPECT_TRUE(auditor.ack().wants_new_run);
  told_.tick();
  (void)told_.segment();
  told_.begin();
  EXPECT_TRUE(auditor.take(told_.segment()));
}

/// Returns the keyframe of a world, with a hash.
Bytes keyframe_of(const engine::World& world, std::uint64_t hash) {
  const std::vector<engine::InputSource> sources(world.seats().size(),
                                                 engine::InputSource::Neutral);
  Bytes bytes;
  engine::encode_keyframe(world, hash, sources, bytes);
  return bytes;
}

TEST_F(AuditorTest, FindsARoomThatIsNotAsItsHashSays) {
  (void)told_.segment();
  told_.begin_with(keyframe_of(told_.match().world(), told_.match().hash() ^ 1));
  Auditor auditor = this->auditor();
  const auto view = auditor.take(told_.segment());
  ASSERT_FALSE(view);
  ASSERT_TRUE(auditor.first_mismatch());
  EXPECT_EQ(auditor.first_mismatch()->tick, told_.now());
}

TEST_F(AuditorTest, TakesNothingTwice) {
  Auditor auditor = this->auditor();
  const protocol::AuditSegment segment = told_.segment();
  EXPECT_TRUE(auditor.take(segment));
  const auto again = auditor.take(segment);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), DropReason::Unexpected);
  EXPECT_FALSE(auditor.ack().wants_new_run);
}

TEST_F(AuditorTest, RefusesWhatCannotHappenInThisRoom) {
  (void)told_.segment();
  const auto is_malformed = [this](ConstBytes tick) {
    told_.begin();
    Auditor auditor = begun();
    told_.say(0, tick);
    const auto view = auditor.take(told_.segment());
    return !view && view.error() == DropReason::Malformed && auditor.mismatches() == 0 &&
           auditor.ack().wants_new_run;
  };
  EXPECT_FALSE(is_malformed({})) << "has another hash, no more";
  Told larger{kSeats + 1};
  larger.join(7);
  EXPECT_FALSE(is_malformed(larger.newest())) << "the seat is free here as well";
  larger.tick({{.seat = 7, .pad = kRight}});
  EXPECT_TRUE(is_malformed(larger.newest())) << "nobody sits there";
  larger.leave(7);
  EXPECT_TRUE(is_malformed(larger.newest())) << "nobody leaves seat 7";
  larger.join(kSeats);
  EXPECT_TRUE(is_malformed(larger.newest())) << "there is no such seat";
  larger.tick({{.seat = kSeats, .pad = kRight}});
  EXPECT_TRUE(is_malformed(larger.newest()));
  larger.leave(kA);
  larger.join(kA);
  EXPECT_TRUE(is_malformed(larger.newest())) << "somebody sits there";
  const std::vector<std::byte> no_tick(9, std::byte{0xff});
  EXPECT_TRUE(is_malformed(no_tick));
}

TEST_F(AuditorTest, RefusesWhatIsNoStream) {
  (void)told_.segment();
  for (const auto& bytes :
       {std::initializer_list<int>{0}, {3, 1, 2, 3}, {9, 0, 0, 0, 0, 0, 0, 0, 0, 0}}) {
    told_.begin();
    Auditor auditor = begun();
    told_.say_bytes(bytes);
    const auto view = auditor.take(told_.segment());
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error(), DropReason::Malformed);
    EXPECT_TRUE(auditor.ack().wants_new_run);
  }
}

TEST_F(AuditorTest, RefusesARoomThatIsNotOfThisMap) {
  (void)told_.segment();
  const auto is_malformed = [this](ConstBytes keyframe) {
    told_.begin_with(keyframe);
    const auto view = auditor().take(told_.segment());
    return !view && view.error() == DropReason::Malformed;
  };
  const Told larger{kSeats + 1};
  const engine::World& world = told_.match().world();
  EXPECT_FALSE(is_malformed(keyframe_of(world, told_.match().hash())));
  EXPECT_TRUE(is_malformed(keyframe_of(larger.match().world(), larger.match().hash())));
  engine::World old = world;
  old.tick = {net::kTickMax + 1};
  EXPECT_TRUE(is_malformed(keyframe_of(old, engine::state_hash(old)))) << "no room gets as old";
  Bytes cut = keyframe_of(world, told_.match().hash());
  cut.pop_back();
  EXPECT_TRUE(is_malformed(cut));
}

protocol::AuditSegment segment(std::uint8_t run, std::uint16_t number) {
  protocol::AuditSegment made{.head = {.run = run, .segment = number}, .bytes = {}, .extras = {}};
  made.bytes.push_back(static_cast<std::byte>(number & 0xff));
  made.bytes.push_back(std::byte{run});
  return made;
}

/// The numbers of the complete segments.
std::vector<int> numbers(const StreamReassembly& segments) {
  std::vector<int> all;
  for (std::size_t i = 0; i < segments.bytes().size(); i += 2)
    all.push_back(std::to_integer<int>(segments.bytes()[i]));
  return all;
}

TEST(StreamReassembly, PutsTogetherWhatComesInAnyOrder) {
  StreamReassembly segments;
  EXPECT_EQ(segments.take(segment(0, 2)), Taken::BeginsRun);
  EXPECT_EQ(segments.take(segment(0, 0)), Taken::Stored);
  EXPECT_EQ(numbers(segments), std::vector{0});
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 1, .next = 1, .run = 0}));
  EXPECT_EQ(segments.take(segment(0, 3)), Taken::Stored);
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 3, .next = 1, .run = 0}));
  EXPECT_EQ(segments.take(segment(0, 1)), Taken::Stored);
  EXPECT_EQ(numbers(segments), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 0, .next = 4, .run = 0}));
}

TEST(StreamReassembly, TakesEachOnce) {
  StreamReassembly segments;
  segments.take(segment(0, 0));
  segments.take(segment(0, 2));
  EXPECT_EQ(segments.take(segment(0, 0)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 2)), Taken::Useless);
  EXPECT_EQ(numbers(segments), std::vector{0});
}

TEST(StreamReassembly, TakesAWindowAndNothingBeyond) {
  StreamReassembly segments;
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 0xffff)), Taken::Useless) << "before the first";
  EXPECT_EQ(segments.ack(), protocol::AuditAck{}) << "nothing has begun";
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow - 1)), Taken::BeginsRun);
  EXPECT_EQ(segments.ack().bits, std::uint64_t{1} << (protocol::kAuditWindow - 2));
  segments.take(segment(0, 0));
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow)), Taken::Stored);
  EXPECT_EQ(segments.take(segment(0, protocol::kAuditWindow + 1)), Taken::Useless);
}

TEST(StreamReassembly, GoesOnPastTheLastNumber) {
  StreamReassembly segments;
  for (std::uint32_t i = 0; i < 0x1'0010; ++i) {
    ASSERT_NE(segments.take(segment(0, static_cast<std::uint16_t>(i & 0xffff))), Taken::Useless);
    segments.drop(2);
  }
  EXPECT_EQ(segments.ack().next, 0x10);
  EXPECT_EQ(segments.take(segment(0, 0xf)), Taken::Useless);
  EXPECT_EQ(segments.take(segment(0, 0x10)), Taken::Stored);
}

TEST(StreamReassembly, ForgetsTheRunBefore) {
  StreamReassembly segments;
  segments.take(segment(7, 0));
  segments.take(segment(7, 3));
  EXPECT_EQ(segments.take(segment(8, 1)), Taken::BeginsRun);
  EXPECT_TRUE(segments.bytes().empty());
  EXPECT_EQ(segments.ack(), (protocol::AuditAck{.bits = 1, .next = 0, .run = 8}));
  EXPECT_EQ(segments.take(segment(7, 2)), Taken::Useless) << "late, of the run before";
  EXPECT_EQ(segments.take(segment(8, 0)), Taken::Stored);
  EXPECT_EQ(numbers(segments), (std::vector{0, 1}));
}

TEST(StreamReassembly, GoesOnPastTheLastRun) {
  StreamReassembly segments;
  for (int run = 250; run < 600; ++run)
    ASSERT_EQ(segments.take(segment(static_cast<std::uint8_t>(run & 0xff), 0)), Taken::BeginsRun);
  EXPECT_EQ(segments.take(segment(static_cast<std::uint8_t>(598 & 0xff), 1)), Taken::Useless);
}

TEST(StreamReassembly, DropsFromTheFront) {
  StreamReassembly segments;
  for (std::uint16_t i = 0; i < 4; ++i)
    segments.take(segment(0, i));
  segments.drop(4);
  EXPECT_EQ(numbers(segments), (std::vector{2, 3}));
}

}  // namespace
}  // namespace tickbox::client
