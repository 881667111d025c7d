#include "client/verification/audit.h"

#include "games/arena/arena.h"
#include "games/arena/arena_map.h"
#include "net/handshake.h"
#include "server/room/room.h"
#include "tests/support/arena_wrappers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <vector>

namespace tickbox::client {
namespace {

using Taken = StreamReassembly::Taken;

// An auditor by itself, with segments of a room as a server sends them.

using net::DropReason;
using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 8;
constexpr PlayerId kA{0};
constexpr PlayerId kB{5};

/// A room, and its audit segments.
class Told {
 public:
  Told() : room_(map_, rules_, 3, kRate) { begin(); }

  void begin() {
    ++run_;
    next_ = 0;
    Bytes keyframe;
    room_.log().keyframe(room_.world(), room_.hash(), keyframe);
    protocol::encode_keyframe_entry(keyframe, stream_);
  }

  void tick(const game::TickCommands& commands) {
    const std::vector<game::InputSource> sources(commands.inputs.size(),
                                                 game::InputSource::Received);
    const std::vector<std::uint64_t> clients(commands.joins.size(), 77);
    room_.log_commands(commands, {.sources = sources, .clients = clients});
    room_.tick(commands);
    say(room_.hash(), room_.log().bytes());
  }

  void tick(const std::vector<game::PlayerInput>& inputs = {}) {
    tick({.leaves = {}, .joins = {}, .inputs = inputs});
  }

  void join(PlayerId player) { tick({.leaves = {}, .joins = {&player, 1}, .inputs = {}}); }

  void leave(PlayerId player) { tick({.leaves = {&player, 1}, .joins = {}, .inputs = {}}); }

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
        .status = {}};
    for (const std::byte byte : stream_)
      made.bytes.push_back(byte);
    stream_.clear();
    return made;
  }

  [[nodiscard]] const server::Room& room() const { return room_; }

  [[nodiscard]] const game::SharedMap& map() const { return map_; }

  [[nodiscard]] std::shared_ptr<const game::Rules> rules() const { return rules_; }

  [[nodiscard]] Tick now() const { return room_.world().tick; }

 private:
  game::SharedMap map_ = game::make_arena_map(kSeats);
  std::shared_ptr<const game::Rules> rules_ = std::make_shared<const game::Arena>(kRate);
  server::Room room_;
  int run_ = -1;
  std::uint16_t next_ = 0;
  Bytes stream_;
};

class AuditorTest : public ::testing::Test {
 protected:
  AuditorTest() {
    told_.join(kA);
    told_.join(kB);
    told_.begin();
    own_ = told_.room().world().body_of(kA);
  }

  Auditor auditor() { return {told_.map(), told_.rules(), own_}; }

  /// Returns an auditor that has the room's keyframe.
  Auditor begun() {
    Auditor auditor = this->auditor();
    EXPECT_TRUE(auditor.take(told_.segment()));
    return auditor;
  }

  Told told_;
  BodyId own_;
};

TEST_F(AuditorTest, BeginsWithTheWholeRoom) {
  Auditor auditor = this->auditor();
  const auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  EXPECT_EQ((*view)->tick, told_.now());
  EXPECT_TRUE(std::ranges::equal((*view)->entities, told_.room().entities()));
  EXPECT_EQ((*view)->touched, told_.now()) << "nobody knows what was before";
  EXPECT_EQ(auditor.ticks(), 0U);
  EXPECT_EQ(auditor.runs(), 1U);
}

TEST_F(AuditorTest, StepsWhateverEnters) {
  Auditor auditor = begun();
  told_.tick({{.player = kA, .input = {.move = 3}}, {.player = kB, .input = {.move = 5}}});
  told_.tick({{.player = kA, .input = {.move = 3, .buttons = 1, .aim = 512}},
              {.player = kB, .input = {.move = 5, .aim = 99}}});
  told_.leave(kB);
  told_.tick({{.player = kA, .input = {.move = 0}}});
  told_.join(kB);
  told_.join({7});
  const auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  EXPECT_EQ(auditor.ticks(), 6U);
  EXPECT_EQ((*view)->tick, told_.now());
  EXPECT_TRUE(std::ranges::equal((*view)->entities, told_.room().entities()));
}

TEST_F(AuditorTest, WaitsForWhatIsCutInTwo) {
  told_.tick();
  told_.tick({{.player = kA, .input = {.move = 1}}});
  const protocol::AuditSegment whole = told_.segment();
  Auditor auditor = this->auditor();
  int views = 0;
  for (std::uint16_t i = 0; i < whole.bytes.size(); ++i) {
    protocol::AuditSegment byte{.head = whole.head, .bytes = {}, .status = {}};
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
  const Tick before = told_.now();
  told_.tick();
  auto view = auditor.take(told_.segment());
  ASSERT_TRUE(view && *view);
  EXPECT_EQ((*view)->touched, before);
}

/// The arena with one velocity off by one at one tick.
class FlipsABit final : public tests::WrappedArena {
 public:
  explicit FlipsABit(Tick at) : WrappedArena(kRate), at_(at) {}

  void after_step(game::World& world, const sim::StepReport& report, game::Authority authority,
                  game::TickEvents& events) const override {
    WrappedArena::after_step(world, report, authority, events);
    if (world.tick == at_) world.physics().movers().front().velocity.y ^= 1;
  }

 private:
  Tick at_;
};

TEST_F(AuditorTest, FindsOneWrongBitOfItsOwnInItsTick) {
  const Tick wrong = told_.now() + 4;
  Auditor auditor{told_.map(), std::make_shared<const FlipsABit>(wrong), own_};
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

// The presentation shows one tick after the other. A server that went back made it fail an
// assertion.
TEST_F(AuditorTest, RefusesARunThatIsNotNewerThanItsView) {
  Auditor auditor = begun();
  told_.begin();
  const auto again = auditor.take(told_.segment());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error(), DropReason::Malformed);
  EXPECT_TRUE(auditor.ack().wants_new_run);
  told_.tick();
  told_.begin();
  EXPECT_TRUE(auditor.take(told_.segment()));
}

TEST_F(AuditorTest, FindsARoomThatIsNotAsItsHashSays) {
  protocol::AuditSegment segment = told_.segment();
  // The first byte of the hash: it follows the length (two bytes) and the tick.
  segment.bytes[2 + 4] ^= std::byte{1};
  Auditor auditor = this->auditor();
  const auto view = auditor.take(segment);
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
  const auto is_malformed = [this](std::initializer_list<int> tick) {
    told_.begin();
    Auditor auditor = begun();
    Bytes bytes;
    for (const int byte : tick)
      bytes.push_back(static_cast<std::byte>(byte));
    told_.say(0, bytes);
    const auto view = auditor.take(told_.segment());
    return !view && view.error() == DropReason::Malformed && auditor.mismatches() == 0 &&
           auditor.ack().wants_new_run;
  };
  EXPECT_FALSE(is_malformed({})) << "has another hash, no more";
  EXPECT_TRUE(is_malformed({1, 1, 1})) << "nobody leaves seat 1";
  EXPECT_TRUE(is_malformed({1, 1, kSeats})) << "there is no such seat";
  EXPECT_TRUE(is_malformed({2, 1, kA.value, 8, 0, 0, 0, 0, 0, 0, 0, 0})) << "somebody sits there";
  EXPECT_TRUE(is_malformed({2, 1, kSeats, 8, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_TRUE(is_malformed({4, 1, kSeats, 4, 1}));
  EXPECT_TRUE(is_malformed({4, 1, 1, 4, 1})) << "nobody sits there";
  EXPECT_TRUE(is_malformed({8, 1, 6, kSeats, 0, 0, 0x10, 0, 0})) << "nobody can fire there";
  EXPECT_FALSE(is_malformed({8, 1, 6, kA.value, 0, kB.value, 0x10, 0, 0})) << "nobody does";
  EXPECT_FALSE(is_malformed({3, 1, kA.value, 1, kA.value, 8, 0, 0, 0, 0, 0, 0, 0, 0}))
      << "one goes, one comes";
}

TEST_F(AuditorTest, RefusesWhatIsNoStream) {
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

/// A keyframe with other seats, or with a body that belongs to no seat.
TEST_F(AuditorTest, RefusesARoomThatIsNotOfThisMap) {
  const auto is_malformed = [this](auto change) {
    const game::World& world = told_.room().world();
    game::LoggedWorld keyframe{
        .tick = told_.now(),
        .state_hash = told_.room().hash(),
        .random = world.rng.state(),
        .seats = {world.seats().begin(), world.seats().end()},
        .sources = std::vector<game::InputSource>(kSeats, game::InputSource::Neutral),
        .entities = {told_.room().entities().begin(), told_.room().entities().end()}};
    change(keyframe);
    Bytes bytes;
    game::encode_keyframe(keyframe, bytes);
    Bytes stream;
    protocol::encode_keyframe_entry(bytes, stream);
    protocol::AuditSegment segment;
    for (const std::byte byte : stream)
      segment.bytes.push_back(byte);
    const auto view = auditor().take(segment);
    return !view && view.error() == DropReason::Malformed;
  };
  EXPECT_FALSE(is_malformed([](game::LoggedWorld&) {}));
  EXPECT_TRUE(is_malformed([](game::LoggedWorld& world) {
    world.seats.pop_back();
    world.sources.pop_back();
  }));
  EXPECT_TRUE(is_malformed([](game::LoggedWorld& world) { world.seats[1].taken = true; }));
  EXPECT_TRUE(
      is_malformed([](game::LoggedWorld& world) { world.entities.erase(world.entities.begin()); }));
  EXPECT_TRUE(is_malformed([](game::LoggedWorld& world) { world.tick = {net::kTickMax + 1}; }))
      << "no room gets as old";
  EXPECT_TRUE(is_malformed([](game::LoggedWorld& world) {
    world.entities[1].min = world.entities[0].min;
  })) << "the step keeps players apart";
  EXPECT_TRUE(is_malformed([](game::LoggedWorld& world) { world.entities[0].traits.timer = 31; }))
      << "a weapon is loaded after 30 ticks";
}

protocol::AuditSegment segment(std::uint8_t run, std::uint16_t number) {
  protocol::AuditSegment made{.head = {.run = run, .segment = number}, .bytes = {}, .status = {}};
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
