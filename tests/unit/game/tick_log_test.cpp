#include "game/tick_log.h"

#include "core/rng.h"
#include "tests/support/allocations.h"
#include "tests/support/bytes.h"
#include "tests/support/recorded_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace tickbox::game {
namespace {

using enum InputSource;
using tests::bytes;
using tests::Bytes;
using tests::RecordedMatch;

Bytes copy_of(ConstBytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Returns a world with `seats` seats and an empty map. No test steps it.
World room_of(std::uint32_t seats) {
  auto map = std::make_shared<Map>();
  map->statics = std::make_shared<const sim::Statics>(std::vector<sim::Body>{});
  map->seats = seats;
  return World{std::move(map), {}, 0};
}

/// The log of such a room from its first tick on, and what is read of it.
class Log {
 public:
  explicit Log(std::uint32_t seats) : world_(room_of(seats)), log_(world_) {
    Bytes keyframe;
    log_.keyframe(world_, 0, keyframe);
    LoggedWorld world;
    EXPECT_TRUE(decode_keyframe(keyframe, world));
    reader_.begin(world);
  }

  /// Writes a tick, and reads it again.
  Bytes tick(const LoggedTick& told) {
    const ConstBytes written =
        log_.tick(told.commands(), {.sources = told.sources, .clients = told.clients});
    EXPECT_TRUE(std::ranges::equal(written, log_.bytes()));
    EXPECT_TRUE(reader_.read(written, read_));
    return copy_of(written);
  }

  /// Of one player.
  Bytes tick(PlayerId player, const Input& input, InputSource source) {
    return tick({.inputs = {{.player = player, .input = input}}, .sources = {source}});
  }

  [[nodiscard]] const TickLog& log() const { return log_; }

  /// What was read last.
  [[nodiscard]] const LoggedTick& read() const { return read_; }

 private:
  World world_;
  TickLog log_;
  TickLogReader reader_;
  LoggedTick read_;
};

constexpr std::uint64_t kClient = 0x0102'0304'0506'0708;

// Exact bytes.

TEST(TickLog, OfATickThatNothingEnteredIsEmpty) {
  Log log{8};
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  EXPECT_EQ(log.log().last(), Tick{1});
  EXPECT_EQ(log.read(), LoggedTick{});
}

TEST(TickLog, OfAJoinIsTheSeatAndTheClient) {
  Log log{8};
  EXPECT_EQ(log.tick({.joins = {{5}}, .clients = {kClient}}),
            bytes({2, 1,                       // joins: one
                   5, 8,                       // seat 5, of 8 bytes
                   8, 7, 6, 5, 4, 3, 2, 1}));  // the client's id
  EXPECT_FALSE(log.log().is_quiet());
  EXPECT_EQ(log.read(), (LoggedTick{.joins = {{5}},
                                    .clients = {kClient},
                                    .inputs = {{.player = {5}, .input = {}}},
                                    .sources = {Neutral}}));
}

TEST(TickLog, OfAnInputIsWhatItDoesOtherwiseThanTheTickBefore) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {kClient}});
  EXPECT_EQ(log.tick({5}, {.move = 3}, Received), bytes({4, 1, 5, 4, 3}))
      << "one byte: the stick points elsewhere";
  EXPECT_EQ(log.tick({5}, {.move = 3}, Received), bytes({})) << "it stays there";
  EXPECT_FALSE(log.log().is_quiet()) << "somebody is in the room";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, std::vector{Received});

  EXPECT_EQ(log.tick({5}, {.move = 3}, Repeated), bytes({4, 1, 5, 1})) << "only from elsewhere";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, std::vector{Repeated});
  EXPECT_EQ(log.tick({5}, {.move = 3}, Neutral), bytes({4, 1, 5, 2}));
  EXPECT_EQ(log.tick({5}, {}, Neutral), bytes({4, 1, 5, 6, 0})) << "rests";

  EXPECT_EQ(log.tick({5}, {.move = 3, .buttons = kButtonShoot, .aim = 0x123}, Received),
            bytes({4, 1, 5, 12, 0x13, 0x23, 0x01}))
      << "three bytes: a button, and where it aims";
  EXPECT_EQ(log.tick({5}, {.move = 3, .buttons = kButtonShoot, .aim = 0x123}, Received),
            bytes({4, 1, 5, 12, 0x13, 0x23, 0x01}))
      << "a button is pressed in each tick again";
  EXPECT_EQ(
      log.tick({5}, {.move = 3, .buttons = kButtonRay, .aim = 1'023, .look_back = 9}, Repeated),
      bytes({4, 1, 5, 17, 0x23, 0xff, 0x03, 9}))
      << "four bytes: a ray looks back";
  EXPECT_EQ(log.tick({5}, {.move = 3}, Repeated), bytes({})) << "the button is let go";
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {.move = 3}}}));
}

TEST(TickLog, LeavesOutWhatHasNoEffect) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {kClient}});
  log.tick({5}, {.move = 3}, Received);
  EXPECT_EQ(log.tick({5}, {.move = 3, .aim = 77, .look_back = 7}, Received), bytes({}))
      << "an aim without a button";
  EXPECT_EQ(log.tick({5}, {.buttons = kButtonShoot, .aim = 1, .look_back = 7}, Received),
            bytes({4, 1, 5, 12, 0x10, 1, 0}))
      << "a look back without a ray";
  EXPECT_EQ(
      log.read().inputs,
      (std::vector<PlayerInput>{{.player = {5}, .input = {.buttons = kButtonShoot, .aim = 1}}}));
  EXPECT_EQ(log.tick({5}, {.move = 200, .buttons = 0xfc, .aim = 60'000}, Received), bytes({}))
      << "what a cheat sends is rest";
}

TEST(TickLog, OfWhoHasNoInputKeepsItsStickAndItsSource) {
  Log log{8};
  log.tick({.joins = {{2}, {5}}, .clients = {1, 2}});
  log.tick({5}, {.move = 3, .buttons = kButtonShoot}, Repeated);
  EXPECT_EQ(log.tick({2}, {.move = 1}, Received), bytes({4, 1, 2, 4, 1}));
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {2}, .input = {.move = 1}},
                                                         {.player = {5}, .input = {.move = 3}}}));
  EXPECT_EQ(log.read().sources, (std::vector{Received, Repeated}));
}

// Who takes a seat that was left begins at rest, from nowhere.
TEST(TickLog, OfASeatThatIsTakenAgainKnowsNothingOfBefore) {
  Log log{8};
  log.tick({.joins = {{5}}, .clients = {1}});
  log.tick({5}, {.move = 3}, Received);
  EXPECT_EQ(log.tick({.leaves = {{5}},
                      .joins = {{5}},
                      .clients = {2},
                      .inputs = {{.player = {5}, .input = {.move = 3}}},
                      .sources = {Received}}),
            bytes({7,                                // leaves, joins, inputs
                   1, 5,                             //
                   1, 5, 8, 2, 0, 0, 0, 0, 0, 0, 0,  //
                   1, 5, 4, 3}));
  EXPECT_EQ(log.tick({.leaves = {{5}}}), bytes({1, 1, 5}));
  EXPECT_FALSE(log.log().is_quiet()) << "somebody leaves";
  EXPECT_EQ(log.tick({}), bytes({}));
  EXPECT_TRUE(log.log().is_quiet());
  log.tick({.joins = {{5}}, .clients = {3}});
  EXPECT_EQ(log.read().inputs, (std::vector<PlayerInput>{{.player = {5}, .input = {}}}));
  EXPECT_EQ(log.read().sources, std::vector{Neutral});
}

TEST(TickLog, AsTheStandardSays) {
  Log log{kSeatsMax};
  log.tick({.joins = {{0}, {1}, {3}, {4}, {130}, {131}, {200}}, .clients = {1, 2, 3, 4, 5, 6, 7}});
  const LoggedTick told{
      .leaves = {{3}, {4}, {200}},
      .joins = {{4}, {4'095}},
      .clients = {kClient, 9},
      .inputs = {{.player = {0}, .input = {.move = 8}},
                 {.player = {1}, .input = {.buttons = kButtonRay, .aim = 3, .look_back = 200}},
                 {.player = {130}, .input = {}},
                 {.player = {4'095}, .input = {.move = 5, .buttons = kButtonShoot, .aim = 1'023}}},
      .sources = {Received, Received, Repeated, Received},
      .strikes = {{.shooter = {1}, .victim = player_body({131}, 7)}}};
  EXPECT_EQ(log.tick(told),
            bytes({0x0f,                                               // all four lists
                   3,    3,    0,    0xc3, 0x01,                       // leaves: gaps 3, 0, 195
                   2,                                                  // joins
                   4,    8,    8,    7,    6,    5,    4, 3, 2, 1,     // seat 4
                   0xfa, 0x1f, 8,    9,    0,    0,    0, 0, 0, 0, 0,  // 4,095: gap 4,090
                   4,                                                  // inputs
                   0,    4,    0x08,                                   // seat 0: north-east
                   0,    16,   0x20, 3,    0,    200,                  // seat 1: a ray
                   0x80, 0x01, 1,                                      // seat 130: made up
                   0xfc, 0x1e, 12,   0x15, 0xff, 0x03,                 // seat 4,095: a shot
                   1,                                                  // outcomes
                   6,    1,    0,    0x83, 0x70, 0,    0}));           // strikes seat 131
  EXPECT_EQ(log.read(),
            (LoggedTick{.leaves = told.leaves,
                        .joins = told.joins,
                        .clients = told.clients,
                        .inputs = {told.inputs[0],
                                   told.inputs[1],
                                   {.player = {4}, .input = {}},
                                   {.player = {130}, .input = {}},
                                   {.player = {131}, .input = {}},
                                   told.inputs[3]},
                        .sources = {Received, Received, Neutral, Repeated, Neutral, Received},
                        .strikes = told.strikes}));
}

TEST(TickLog, OfATickInWhichAllDoAllTheyCanHasItsBytesAtTheMost) {
  for (const std::uint32_t seats : {1U, 8U, 128U, 1'000U, kSeatsMax}) {
    LoggedTick come;
    LoggedTick all;
    for (std::uint32_t number = 0; number < seats; ++number) {
      const auto seat = static_cast<std::uint16_t>(number);
      come.joins.push_back({seat});
      come.clients.push_back(seat);
      all.inputs.push_back(
          {.player = {seat}, .input = {.move = 8, .buttons = kButtonsKnown, .aim = 1'023}});
      all.sources.push_back(Repeated);
      all.strikes.push_back({.shooter = {seat}, .victim = player_body({seat}, 1)});
    }
    all.leaves = all.joins = come.joins;
    all.clients = come.clients;
    Log log{seats};
    log.tick(come);
    EXPECT_LE(log.tick(all).size(), tick_bytes_max(seats)) << seats;
    EXPECT_EQ(log.read(), all);
  }
}

// What is refused.

/// Of four seats 0 and 2 are taken: the stick of 0 points east, and its inputs are received.
LoggedWorld two_of_four() {
  LoggedWorld world{.tick = {70}};
  world.seats.resize(4);
  world.sources.assign(4, Neutral);
  world.sources[0] = Received;
  for (const std::uint16_t seat : {std::uint16_t{0}, std::uint16_t{2}}) {
    world.seats[seat] = {.generation = 1, .taken = true};
    world.entities.push_back({.id = player_body({seat}, 1),
                              .min = {},
                              .velocity = {},
                              .traits = {.move = static_cast<std::uint8_t>(seat == 0 ? 1 : 0)}});
  }
  return world;
}

bool reads(std::initializer_list<int> tick) {
  TickLogReader reader;
  reader.begin(two_of_four());
  LoggedTick read;
  return reader.read(bytes(tick), read).has_value();
}

TEST(TickLogReader, RefusesListsThatCannotBe) {
  EXPECT_TRUE(reads({}));
  EXPECT_FALSE(reads({0})) << "says that it says nothing";
  EXPECT_FALSE(reads({16})) << "a list that there is not";
  EXPECT_FALSE(reads({20, 1, 0, 4, 5})) << "beside one that there is";
  for (const int list : {1, 2, 4, 8}) {
    EXPECT_FALSE(reads({list})) << "no count";
    EXPECT_FALSE(reads({list, 0})) << "an empty list";
    EXPECT_FALSE(reads({list, 1})) << "ends early";
    EXPECT_FALSE(reads({list, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) << "more than seats";
    EXPECT_FALSE(reads({list, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "far more";
  }
  EXPECT_TRUE(reads({4, 1, 0, 4, 5}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 5, 0})) << "a byte more";
  EXPECT_FALSE(reads({4, 0x81, 0x00, 0, 4, 5})) << "a count in a longer form";
}

TEST(TickLogReader, RefusesLeavesThatCannotBe) {
  EXPECT_TRUE(reads({1, 1, 0}));
  EXPECT_TRUE(reads({1, 1, 2}));
  EXPECT_TRUE(reads({1, 2, 0, 1})) << "both";
  EXPECT_FALSE(reads({1, 1, 1})) << "nobody is there";
  EXPECT_FALSE(reads({1, 1, 4})) << "no such seat";
  EXPECT_FALSE(reads({1, 2, 2, 0})) << "the seat after 2 is 3";
  EXPECT_FALSE(reads({1, 2, 0, 3})) << "seat 4";
  EXPECT_FALSE(reads({1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "beyond any seat";
  EXPECT_FALSE(reads({1, 2, 2, 0xff, 0xff, 0xff, 0xff, 0x0f})) << "round to seat 2 again";
  EXPECT_FALSE(reads({1, 1, 0x80, 0x00})) << "seat 0 in a longer form";
}

TEST(TickLogReader, RefusesJoinsThatCannotBe) {
  EXPECT_TRUE(reads({2, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(reads({2, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "somebody is there";
  EXPECT_TRUE(reads({3, 1, 0, 1, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "not any more";
  EXPECT_FALSE(reads({2, 1, 4, 8, 1, 2, 3, 4, 5, 6, 7, 8})) << "no such seat";
  EXPECT_FALSE(reads({2, 1, 1, 8, 1, 2, 3, 4, 5, 6, 7})) << "ends early";
  EXPECT_FALSE(reads({2, 1, 1, 7, 1, 2, 3, 4, 5, 6, 7})) << "too short for a client";
  EXPECT_FALSE(reads({2, 1, 1, 7, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(reads({2, 1, 1, 0x88, 0x00, 1, 2, 3, 4, 5, 6, 7, 8})) << "a size in a longer form";
  EXPECT_TRUE(reads({2, 2, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(TickLogReader, ReadsOverWhatALaterVersionAppendsToAJoin) {
  for (const std::uint32_t size : {9U, 300U, 1'024U, 1'025U}) {
    Bytes tick = bytes({2, 1, 3});
    NumberWriter out{tick};
    out.number(size);
    out.fixed(kClient);
    tick.resize(tick.size() + size - sizeof kClient, std::byte{0xee});
    TickLogReader reader;
    reader.begin(two_of_four());
    LoggedTick read;
    const bool is_read = reader.read(tick, read).has_value();
    EXPECT_EQ(is_read, size <= 1'024) << size;
    if (!is_read) continue;
    EXPECT_EQ(read.joins, std::vector{PlayerId{3}});
    EXPECT_EQ(read.clients, std::vector{kClient});
    EXPECT_EQ(read.inputs.size(), 3U);
  }
}

TEST(TickLogReader, RefusesInputsThatCannotBe) {
  EXPECT_TRUE(reads({4, 1, 0, 4, 5}));
  EXPECT_TRUE(reads({4, 2, 0, 4, 5, 1, 4, 5})) << "of both";
  EXPECT_FALSE(reads({4, 1, 1, 4, 5})) << "nobody is there";
  EXPECT_FALSE(reads({5, 1, 0, 1, 0, 4, 5})) << "nobody is there any more";
  EXPECT_FALSE(reads({4, 1, 4, 4, 5})) << "no such seat";
  EXPECT_FALSE(reads({4, 1, 0, 7, 5})) << "from nowhere that there is";
  EXPECT_FALSE(reads({4, 1, 0, 0x84, 0x00, 5})) << "its size in a longer form";
  EXPECT_FALSE(reads({4, 1, 0, 0xfc, 0xff, 0xff, 0xff, 0x0f, 5})) << "a huge size";
  EXPECT_FALSE(reads({4, 1, 0, 4, 1})) << "the stick is there already";
  EXPECT_FALSE(reads({4, 1, 0, 5, 1})) << "and so is said by no byte";
  EXPECT_FALSE(reads({4, 1, 0, 0})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 1})) << "but where it comes from";
  EXPECT_FALSE(reads({4, 1, 2, 2})) << "nothing is new";
  EXPECT_TRUE(reads({4, 1, 0, 4, 8}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 9})) << "a direction that there is not";
  EXPECT_FALSE(reads({4, 1, 0, 4})) << "ends early";
  EXPECT_FALSE(reads({4, 1, 0, 8, 5, 0})) << "a byte more than an input has";

  EXPECT_TRUE(reads({4, 1, 0, 12, 0x11, 0xff, 0x03}));
  EXPECT_FALSE(reads({4, 1, 0, 4, 0x11})) << "a button without an aim";
  EXPECT_FALSE(reads({4, 1, 0, 8, 0x11, 0xff}));
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x11, 0x00, 0x04})) << "aims where nothing is";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x41, 0x00, 0x00})) << "a button that there is not";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x51, 0x00, 0x00})) << "beside one that there is";
  EXPECT_FALSE(reads({4, 1, 0, 16, 0x11, 0x00, 0x00, 0x00})) << "a shot does not look back";
  EXPECT_TRUE(reads({4, 1, 0, 16, 0x21, 0x00, 0x00, 0xff}));
  EXPECT_TRUE(reads({4, 1, 0, 16, 0x31, 0x00, 0x00, 0xff})) << "both at once";
  EXPECT_FALSE(reads({4, 1, 0, 12, 0x21, 0x00, 0x00})) << "a ray does";
  EXPECT_FALSE(reads({4, 1, 0, 20, 0x21, 0x00, 0x00, 0xff, 0}));
}

TEST(TickLogReader, RefusesOutcomesThatCannotBe) {
  EXPECT_TRUE(reads({8, 1, 6, 0, 0, 2, 0x10, 0, 0})) << "seat 0 strikes seat 2";
  EXPECT_TRUE(reads({8, 2, 6, 0, 0, 2, 0x10, 0, 0, 6, 2, 0, 0, 0x10, 0, 0}));
  EXPECT_FALSE(reads({8, 2, 6, 0, 0, 2, 0x10, 0, 0, 6, 0, 0, 0, 0x10, 0, 0})) << "twice";
  EXPECT_FALSE(reads({8, 2, 6, 2, 0, 2, 0x10, 0, 0, 6, 0, 0, 0, 0x10, 0, 0})) << "the other way";
  EXPECT_FALSE(reads({8, 1, 6, 4, 0, 2, 0x10, 0, 0})) << "a shooter without a seat";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 4, 0x10, 0, 0})) << "a victim without one";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 0, 0, 0, 0x40})) << "a crate";
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 0, 0, 0, 0x80})) << "a bullet";
  EXPECT_FALSE(reads({8, 1, 5, 0, 0, 2, 0x10, 0}));
  EXPECT_FALSE(reads({8, 1, 7, 0, 0, 2, 0x10, 0, 0, 0}));
  EXPECT_FALSE(reads({8, 1, 6, 0, 0, 2, 0x10, 0})) << "ends early";
}

// Matches.

TEST(TickLogReader, GivesBackEveryTickOfAMatch) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    RecordedMatch match{{.seats = 12, .seed = seed}};
    TickLogReader reader;
    Bytes keyframe;
    LoggedWorld world;
    match.room().log().keyframe(match.world(), match.room().hash(), keyframe);
    ASSERT_TRUE(decode_keyframe(keyframe, world));
    reader.begin(world);
    LoggedTick read;
    std::size_t bytes = 0;
    for (int i = 0; i < 600; ++i) {
      const record::RecordedTick& played = match.step();
      ASSERT_TRUE(reader.read(match.room().log().bytes(), read)) << "tick " << played.tick.value;
      ASSERT_EQ(read, played) << "tick " << played.tick.value;
      EXPECT_EQ(match.room().log().is_quiet(), played.is_quiet);
      bytes += match.room().log().bytes().size();
    }
    EXPECT_GT(bytes, 600U * 12);
    EXPECT_LT(bytes, 600U * 12 * 7) << "an input takes some four bytes";
  }
}

// A reader that begins in the midst of a match reads on as one that was there all along.
TEST(TickLogReader, GoesOnFromAnyKeyframe) {
  RecordedMatch match{{.seats = 12, .seed = 4}};
  for (int i = 0; i < 40; ++i) {
    match.step();
    Bytes keyframe;
    match.room().log().keyframe(match.world(), match.room().hash(), keyframe);
    LoggedWorld world;
    ASSERT_TRUE(decode_keyframe(keyframe, world));
    TickLogReader reader;
    reader.begin(world);
    LoggedTick read;
    for (int n = 0; n < 10; ++n) {
      const record::RecordedTick& played = match.step();
      ASSERT_TRUE(reader.read(match.room().log().bytes(), read)) << "tick " << played.tick.value;
      ASSERT_EQ(read, played) << "tick " << played.tick.value;
    }
  }
}

/// Some bytes of a tick changed, added or taken away.
Bytes altered(Bytes tick, Rng& rng) {
  for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
    const std::uint64_t how = rng.below(6);
    if (how == 0 || tick.empty()) {
      tick.insert(tick.begin() + static_cast<std::ptrdiff_t>(rng.below(tick.size() + 1)),
                  static_cast<std::byte>(rng.below(256)));
    } else if (how == 1) {
      tick.erase(tick.begin() + static_cast<std::ptrdiff_t>(rng.below(tick.size())));
    } else if (how == 2) {
      tick[rng.below(tick.size())] ^= std::byte{1} << rng.below(8);
    } else if (how == 3) {
      tick[rng.below(tick.size())] = static_cast<std::byte>(rng.below(12));
    } else {
      tick[rng.below(tick.size())] = static_cast<std::byte>(rng.below(256));
    }
  }
  return tick;
}

// Whatever is read is said in no other bytes: written again it is the same. But for what a later
// version appends to joins, which is read over.
TEST(TickLogReader, ReadsTheSameBytesAgainOrRefusesThem) {
  Rng rng{5};
  RecordedMatch match{{.seats = 6, .seed = 7}};
  TickLogReader reader;
  reader.begin(logged_world(match.world(), match.room().hash(), {}));
  int read_at_all = 0;
  int refused = 0;
  LoggedTick read;
  for (int i = 0; i < 400; ++i) {
    const TickLog before = match.room().log();
    const TickLogReader reader_before = reader;
    match.step();
    const Bytes tick = copy_of(match.room().log().bytes());
    ASSERT_TRUE(reader.read(tick, read));
    for (int round = 0; round < 50; ++round) {
      const Bytes other = altered(tick, rng);
      TickLogReader of_other = reader_before;
      if (!of_other.read(other, read)) {
        ++refused;
        continue;
      }
      ++read_at_all;
      TickLog again = before;
      const ConstBytes written =
          again.tick(read.commands(), {.sources = read.sources, .clients = read.clients});
      const bool was_appended_to = !read.joins.empty() && written.size() < other.size();
      ASSERT_TRUE(was_appended_to || std::ranges::equal(written, other)) << "tick " << i;
    }
  }
  EXPECT_GT(read_at_all, 200);
  EXPECT_GT(refused, 1'000);
}

TEST(TickLog, AsksForNoMemoryOnceItIsThere) {
  RecordedMatch match{{.tick_rate = 60, .seats = 32}};
  TickLog log{match.world()};
  const LoggedWorld world = logged_world(match.world(), match.room().hash(), {});
  std::vector<Bytes> ticks;
  for (int i = 0; i < 1'000; ++i) {
    match.step();
    ticks.push_back(copy_of(match.room().log().bytes()));
  }
  // Told what a reader gives back, another log says the same of it.
  std::size_t same = 0;
  std::size_t next = 0;
  const std::uint64_t before = tests::allocations();
  for (const record::RecordedTick& tick : match.played()) {
    const ConstBytes written =
        log.tick(tick.commands(), {.sources = tick.sources, .clients = tick.clients});
    same += std::ranges::equal(written, ticks[next++]) ? 1U : 0U;
  }
  EXPECT_EQ(tests::allocations(), before);
  EXPECT_EQ(log.last(), Tick{1'000});
  EXPECT_EQ(same, 1'000U);

  // A reader once it has read as much before.
  TickLogReader reader;
  LoggedTick read;
  for (const bool is_warm : {false, true}) {
    std::size_t inputs = 0;
    std::size_t refused = 0;
    const std::uint64_t at_first = tests::allocations();
    reader.begin(world);
    for (const Bytes& tick : ticks) {
      refused += reader.read(tick, read) ? 0U : 1U;
      inputs += read.inputs.size();
    }
    if (is_warm) {
      EXPECT_EQ(tests::allocations(), at_first);
    }
    EXPECT_EQ(refused, 0U);
    EXPECT_GT(inputs, 20'000U);
  }
}

// Keyframes.

Bytes encoded(const LoggedWorld& world) {
  Bytes bytes = game::bytes({1, 2, 3});  // in place of what is there
  encode_keyframe(world, bytes);
  return bytes;
}

LoggedWorld some_world() {
  return {.tick = {77'000},
          .state_hash = 0x1112'1314'1516'1718,
          .random = 0x2122'2324'2526'2728,
          .seats = {{.generation = 1, .score = 300, .taken = true},
                    {.generation = 16, .score = 0, .taken = false},
                    {.generation = 2, .score = 0x3fff'ffff, .taken = true}},
          .sources = {Repeated, Neutral, Received},
          .entities = {{.id = player_body({0}, 1),
                        .min = {.x = -5, .y = 6},
                        .velocity = {.x = 7, .y = -8},
                        .traits = {.kind = EntityKind::Player, .move = 3, .timer = 30}},
                       {.id = player_body({2}, 2),
                        .min = {.x = 70'000, .y = -70'000},
                        .velocity = {},
                        .traits = {.kind = EntityKind::Player}},
                       {.id = crate_body(9),
                        .min = {.x = 1, .y = 2},
                        .velocity = {},
                        .traits = {.kind = EntityKind::Crate}},
                       {.id = bullet_body({2}, {90'000}),
                        .min = {.x = 3, .y = 4},
                        .velocity = {.x = 200'000, .y = -4},
                        .traits = {.kind = EntityKind::Bullet, .timer = 60}}}};
}

TEST(TickLogKeyframe, AsTheStandardSays) {
  LoggedWorld world = some_world();
  world.entities.resize(1);
  EXPECT_EQ(encoded(world), bytes({0xc8, 0x2c, 0x01, 0x00,                          // tick 77,000
                                   0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // hash
                                   0x28, 0x27, 0x26, 0x25, 0x24, 0x23, 0x22, 0x21,  // random
                                   3,                                               // seats
                                   0x0b, 0xac, 0x02,                    // 1, repeated, taken; 300
                                   0x84, 0x01, 0,                       // 16, neutral, free; 0
                                   0x11, 0xff, 0xff, 0xff, 0xff, 0x03,  // 2, received, taken
                                   1,                                   // entities
                                   22,   0x00, 0x10, 0x00, 0x00,        // size, id
                                   0xfb, 0xff, 0xff, 0xff, 6,    0,    0,    0,     // place
                                   7,    0,    0,    0,    0xf8, 0xff, 0xff, 0xff,  // velocity
                                   3,    30}));                                     // stick, timer
}

TEST(TickLogKeyframe, ComesBackAsItWas) {
  LoggedWorld read;
  read.entities.resize(20);
  read.seats.resize(20);
  ASSERT_TRUE(decode_keyframe(encoded(some_world()), read));
  EXPECT_EQ(read, some_world()) << "nothing is left of before";
}

TEST(TickLogKeyframe, OfAMatchIsItsWorldAndWhereInputsCameFrom) {
  RecordedMatch match{{.seats = 12, .seed = 3}};
  for (int i = 0; i < 300; ++i) {
    const record::RecordedTick played = match.step();
    Bytes bytes;
    match.room().log().keyframe(match.world(), match.room().hash(), bytes);
    EXPECT_LE(bytes.size(), keyframe_bytes_of(match.world()));
    LoggedWorld read;
    ASSERT_TRUE(decode_keyframe(bytes, read));
    EXPECT_EQ(encoded(read), bytes);
    EXPECT_EQ(read, logged_world(match.world(), match.room().hash(), played));
    EXPECT_EQ(read.tick, played.tick);
    EXPECT_EQ(read.state_hash, played.state_hash);
    EXPECT_EQ(read.random, match.world().rng.state());
    EXPECT_TRUE(std::ranges::equal(read.seats, match.world().seats()));
    std::vector<EntityState> entities;
    match.world().append_entities(entities);
    EXPECT_EQ(read.entities, entities);
    std::vector<InputSource> sources(12, Neutral);
    for (std::size_t n = 0; n < played.inputs.size(); ++n) {
      sources[played.inputs[n].player.value] = played.sources[n];
    }
    ASSERT_EQ(read.sources, sources) << "tick " << played.tick.value;
  }
}

TEST(TickLogKeyframe, OfTheLargestRoomHasItsBytesAtTheMost) {
  LoggedWorld world{.tick = {0xffff'ffff}};
  world.seats.assign(kSeatsMax,
                     {.generation = kGenerations - 1, .score = 0xffff'ffff, .taken = true});
  world.sources.assign(kSeatsMax, Neutral);
  for (std::uint32_t i = 0; i < kLoggedEntitiesMax; ++i) {
    world.entities.push_back(
        {.id = crate_body(i), .min = {}, .velocity = {}, .traits = {.kind = EntityKind::Crate}});
  }
  const Bytes bytes = encoded(world);
  EXPECT_LE(bytes.size(), kKeyframeBytesMax);
  LoggedWorld read;
  ASSERT_TRUE(decode_keyframe(bytes, read));
  EXPECT_EQ(read, world);
}

TEST(TickLogKeyframe, IsRefusedWhereItCannotBe) {
  const auto reads_with = [](auto&& change) {
    LoggedWorld world = some_world();
    change(world);
    LoggedWorld read;
    return decode_keyframe(encoded(world), read).has_value();
  };
  EXPECT_TRUE(reads_with([](LoggedWorld&) {}));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.seats[1].generation = kGenerations; }));
  EXPECT_FALSE(reads_with(
      [](LoggedWorld& w) { w.sources[0] = std::bit_cast<InputSource>(std::uint8_t{3}); }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.sources[1] = Received; })) << "nobody is there";
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { std::swap(w.entities[0], w.entities[1]); }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[1] = w.entities[0]; })) << "twice";
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[0].traits.move = 9; }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities[0].min.x = kWorldLimit; }));
  EXPECT_FALSE(reads_with([](LoggedWorld& w) { w.entities.back().id = {0xc000'0000}; }))
      << "of no kind";
}

TEST(TickLogKeyframe, IsTheSameBytesAgainOrRefused) {
  const Bytes good = encoded(some_world());
  LoggedWorld read;
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(decode_keyframe(ConstBytes{good}.first(size), read)) << size;
  }
  Bytes longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_keyframe(longer, read));
  int read_at_all = 0;
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes flipped = good;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    if (!decode_keyframe(flipped, read)) continue;
    ++read_at_all;
    EXPECT_EQ(encoded(read), flipped) << "bit " << bit;
  }
  EXPECT_GT(read_at_all, 300);
  Rng rng{6};
  for (int round = 0; round < 20'000; ++round) {
    const Bytes other = altered(good, rng);
    if (!decode_keyframe(other, read)) continue;
    ASSERT_EQ(encoded(read), other);
  }
}

}  // namespace
}  // namespace tickbox::game
