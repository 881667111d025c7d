// A whole view as bits, and its hash.

#include "views/view_state.h"

#include "core/hash.h"
#include "engine/bits.h"
#include "engine/declared.h"
#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/support/declared_values.h"
#include "tests/support/field_game.h"
#include "tests/support/menagerie.h"
#include "views/content.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tickbox::views::view_state_test {
namespace {

namespace field = tests::field;

using Bytes = std::vector<std::byte>;

constexpr std::uint32_t kRate = 60;
constexpr std::uint32_t kSeats = 6;

/// The view that has all of a world.
ViewState view_of(const engine::World& world) {
  ViewState view{.rows = Rows{world.game()}, .room = {world.room().begin(), world.room().end()}};
  view.rows.assign(world);
  return view;
}

Bytes encoded(const ViewState& view, Tick tick) {
  Bytes bytes{std::byte{1}};  // in place of what is there
  encode_view_state(view, tick, bytes);
  return bytes;
}

class ViewStateOfGame : public ::testing::TestWithParam<const GameTable*> {
 protected:
  const GameTable& game_ = *GetParam();
  laws::RandomMatch match_{game_,
                           engine::make_map(game_, {.seats = kSeats}, kRate),
                           {.seed = 8, .tick_rate = kRate, .seats = kSeats}};
};

TEST_P(ViewStateOfGame, ComesBackToTheBit) {
  std::size_t members = 0;
  for (int tick = 0; tick < 300; ++tick) {
    match_.draw();
    match_.step();
    const Tick now = match_.world().tick;
    const ViewState sent = view_of(match_.world());
    const Bytes bytes = encoded(sent, now);
    const auto read = decode_view_state(game_, bytes, now);
    ASSERT_TRUE(read) << "tick " << tick;
    ASSERT_FALSE(compare_views(sent, *read)) << "tick " << tick;
    for (std::size_t i = 0; i < sent.rows.size(); ++i) {
      ASSERT_TRUE(are_equal(game_, sent.rows.row(i), read->rows.row(i))) << "tick " << tick;
    }
    ASSERT_EQ(hash_of(*read), hash_of(sent));
    ASSERT_EQ(encoded(*read, now), bytes);
    members += sent.rows.size();
  }
  EXPECT_GT(members, 300U);
}

// A view that has all of a world has the hash that a client computes from that world.
TEST_P(ViewStateOfGame, HasTheHashOfItsWorld) {
  for (int tick = 0; tick < 300; ++tick) {
    match_.draw();
    match_.step();
    const engine::World& world = match_.world();
    std::uint64_t hash = engine::room_hash(world);
    for (std::size_t row = 0; row < world.size(); ++row) {
      hash += member_hash(world, row, engine::entity_hash(world, row));
    }
    ASSERT_EQ(hash_of(view_of(world)), hash) << "tick " << tick;
    ASSERT_EQ(view_hash(world), hash) << "tick " << tick;
  }
}

TEST_P(ViewStateOfGame, IsNoneWhenCut) {
  for (int tick = 0; tick < 100; ++tick) {
    match_.draw();
    match_.step();
  }
  const Tick now = match_.world().tick;
  const Bytes bytes = encoded(view_of(match_.world()), now);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    ASSERT_FALSE(decode_view_state(game_, ConstBytes{bytes}.first(size), now)) << size;
  }
  Bytes longer = bytes;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_view_state(game_, longer, now));
}

// Whatever is read has one form.
TEST_P(ViewStateOfGame, WithAFlippedBitIsNoneOrAnother) {
  for (int tick = 0; tick < 60; ++tick) {
    match_.draw();
    match_.step();
  }
  const Tick now = match_.world().tick;
  const ViewState sent = view_of(match_.world());
  const Bytes bytes = encoded(sent, now);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes other = bytes;
    other[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    const auto read = decode_view_state(game_, other, now);
    ASSERT_TRUE(!read || read->rows.size() != sent.rows.size() || compare_views(sent, *read) ||
                !std::ranges::equal(read->rows.heads(), sent.rows.heads()))
        << "bit " << bit;
  }
}

INSTANTIATE_TEST_SUITE_P(Games, ViewStateOfGame,
                         ::testing::Values(&games::arena(), &tests::menagerie()),
                         [](const auto& of) { return std::string{of.param->name}; });

constexpr Tick kNow{100};

/// A view of crates, bit by bit.
class ViewStateBits : public ::testing::Test {
 protected:
  ViewStateBits() : out_(bytes_) { engine::pack_sparse(game_.room, room_by_default(), *out_); }

  [[nodiscard]] Bytes room_by_default() const { return tests::value_with(game_.room, {}); }

  static BodyId crate_id(std::uint32_t i) {
    return engine::spawned_id(engine::IdClass::ByServer,
                              {.lineage = engine::kSeatsMax + i, .tick = {1}, .count = 0});
  }

  void put_crate(std::uint32_t number, std::uint64_t motion = 0) {
    const Bytes state = tests::value_with(game_.kinds[1].type, {});
    out_->write(1, 1);
    write_id(crate_id(number), kNow, *out_);
    out_->write(motion, 2);
    write_member(
        game_,
        {.head = {.id = crate_id(number), .min = {5, 6}, .kind = 1}, .state = state, .input = {}},
        {}, *out_);
  }

  [[nodiscard]] std::optional<ViewState> read() {
    out_->write(0, 1);
    out_.reset();
    return decode_view_state(game_, bytes_, kNow);
  }

  const GameTable& game_ = field::game();
  Bytes bytes_;
  std::optional<engine::BitWriter> out_;
};

TEST_F(ViewStateBits, OfNoMemberAreTheRoom) {
  const auto view = read();
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->rows.empty());
  EXPECT_EQ(hash_of(*view), hash_bytes(Bytes(game_.room.bytes), 0));
}

TEST_F(ViewStateBits, HaveMembersById) {
  put_crate(1);
  put_crate(2);
  const auto view = read();
  ASSERT_TRUE(view);
  ASSERT_EQ(view->rows.size(), 2U);
  EXPECT_EQ(view->rows.head(0).id, crate_id(1));
  EXPECT_EQ(view->rows.head(1).min, (Vec2{5, 6}));
}

TEST_F(ViewStateBits, OutOfOrderAreNone) {
  put_crate(2);
  put_crate(1);
  EXPECT_FALSE(read());
}

TEST_F(ViewStateBits, OfOneMemberTwiceAreNone) {
  put_crate(1);
  put_crate(1);
  EXPECT_FALSE(read());
}

TEST_F(ViewStateBits, OfNoMotionAreNone) {
  put_crate(1, 3);
  EXPECT_FALSE(read());
}

TEST_F(ViewStateBits, OfTheMostMembersAreRead) {
  for (std::uint32_t number = 0; number < kMembersMax; ++number) {
    put_crate(number);
  }
  EXPECT_TRUE(read());
}

TEST_F(ViewStateBits, OfMoreMembersAreNone) {
  for (std::uint32_t number = 0; number <= kMembersMax; ++number) {
    put_crate(number);
  }
  EXPECT_FALSE(read());
}

// A desync report shows what is wrong with a state, so a wrong state must arrive as it is.
TEST(ViewState, ArrivesWithAStateThatTheGameCallsImpossible) {
  const GameTable& game = tests::menagerie();
  const KindTable& walker = game.kinds[game.avatar];
  ASSERT_NE(walker.possible, nullptr);
  Bytes state(walker.type.bytes);
  walker.type.write_default(state.data());
  for (const FieldInfo& each : walker.type.fields()) {
    if (each.name == "seen" || each.name == "coins") engine::set_value(each, 0, each.max, state);
  }
  ASSERT_FALSE(walker.possible(state.data()));
  Bytes input(game.input.bytes);
  game.input.write_default(input.data());
  Bytes room(game.room.bytes);
  game.room.write_default(room.data());
  ViewState view{.rows = Rows{game}, .room = room};
  view.rows.add({.head = {.id = engine::controlled_id(1, {.lineage = 2, .tick = {9}, .count = 0}),
                          .kind = game.avatar},
                 .state = state,
                 .input = input});
  const auto read = decode_view_state(game, encoded(view, kNow), kNow);
  ASSERT_TRUE(read);
  EXPECT_FALSE(compare_views(view, *read));
}

}  // namespace
}  // namespace tickbox::views::view_state_test
