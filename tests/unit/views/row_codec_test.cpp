// Ids and rows as bits: each comes back, and its size is known before it is written. That each has
// one form, whatever the bits: the target view_content of tests/fuzz.

#include "engine/row_codec.h"

#include "games/arena/arena.h"
#include "package/laws/random_match.h"
#include "tests/support/field_game.h"
#include "tests/support/menagerie.h"
#include "views/rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tickbox::views {
namespace {

namespace field = tests::field;
using engine::BitReader;
using engine::BitWriter;
using engine::id_bits;
using engine::IdClass;
using engine::is_near;
using engine::kFarBits;
using engine::kNear;

struct Bits {
  std::vector<std::byte> bytes;
  std::size_t count = 0;
};

template <class Write>
Bits written(Write write) {
  Bits bits;
  BitWriter out{bits.bytes};
  write(out);
  bits.count = out.written();
  return bits;
}

Bits id_written(BodyId id, Tick now) {
  return written([&](BitWriter& out) { write_id(id, now, out); });
}

struct IdCase {
  std::string name;
  BodyId id;
  Tick now;
};

/// Every form of an id, with the ends of its ranges.
std::vector<IdCase> ids() {
  std::vector<IdCase> cases;
  for (const std::uint32_t tick : {0U, 1U, 0xff'ffffU, 0x100'0000U, 0xffff'ffffU}) {
    for (const std::uint32_t age : {0U, 1U, 59U, 0xff'ffffU, 0x100'0000U, 0xffff'ffffU}) {
      for (const std::uint32_t count : {0U, 1U, 255U}) {
        const engine::Spawned at{.lineage = 0, .tick = {tick - age}, .count = count};
        const std::string name = "tick " + std::to_string(tick) + " age " + std::to_string(age) +
                                 " count " + std::to_string(count) + " lineage ";
        for (const std::uint32_t lineage : {0U, 4'095U, 4'096U, engine::kLineages - 1}) {
          engine::Spawned spawned = at;
          spawned.lineage = lineage;
          for (const IdClass by : {IdClass::ByServer, IdClass::ByEntity}) {
            cases.push_back({name + std::to_string(lineage), spawned_id(by, spawned), {tick}});
          }
          if (lineage >= engine::kSeatsMax) continue;
          for (const std::uint32_t generation : {0U, 15U, 16U, engine::kGenerations - 1}) {
            cases.push_back(
                {name + std::to_string(lineage) + " generation " + std::to_string(generation),
                 controlled_id(generation, spawned),
                 {tick}});
          }
        }
      }
    }
  }
  return cases;
}

TEST(IdCodec, EveryIdComesBackAndHasTheSizeThatWasSaid) {
  for (const IdCase& each : ids()) {
    const Bits bits = id_written(each.id, each.now);
    ASSERT_EQ(bits.count, id_bits(each.id, each.now)) << each.name;
    ASSERT_LE(bits.count, 72U) << each.name;
    BitReader in{bits.bytes};
    ASSERT_EQ(read_id(in, each.now), each.id) << each.name;
    ASSERT_EQ(in.at(), bits.count) << each.name;
  }
}

TEST(IdCodec, ACommonIdIsShort) {
  const Tick now{1'000};
  const auto avatar = engine::controlled_id(1, {.lineage = 7, .tick = {940}, .count = 0});
  EXPECT_EQ(id_bits(avatar, now), 2U + 12 + (1 + 4) + 6 + 6 + 1);
  const auto dart =
      engine::spawned_id(IdClass::ByEntity, {.lineage = 7, .tick = {1'000}, .count = 0});
  EXPECT_EQ(id_bits(dart, now), 2U + (1 + 12) + 6 + 0 + 1);
}

TEST(IdCodec, AWallIsRefused) {
  const Bits bits = written([](BitWriter& out) { out.write(~std::uint64_t{0}, 64); });
  BitReader in{bits.bytes};
  EXPECT_FALSE(read_id(in, Tick{5}));
}

bool was_read(BodyId id, Vec2 origin, BitReader& in, Rows& rows) {
  engine::RowState state{};
  return add_member(engine::read_row(rows.game(), id, origin, in, state), in, rows);
}

class RowCodecTest : public ::testing::Test {
 protected:
  static constexpr Vec2 kOrigin{3 * kUnit, -4 * kUnit};

  [[nodiscard]] static Bits row_written(const GameTable& game, const RowRef& row,
                                        Vec2 origin = kOrigin) {
    return written([&](BitWriter& out) { write_member(game, row, origin, out); });
  }

  /// The bits of a row whose place is near the origin.
  [[nodiscard]] static std::size_t near_bits(const GameTable& game, const RowRef& row) {
    return row_written(game, row, row.head.min).count;
  }

  /// The additional bits of a place that is far from the origin.
  [[nodiscard]] static std::size_t far_bits(Vec2 place) {
    return is_near(place, kOrigin) ? 0 : kFarBits;
  }

  /// Returns the head of the row as it is read again, if it is.
  static std::optional<RowHead> read_again(const RowHead& head) {
    const std::vector<std::byte> state = field::bytes_of(field::Crate{});
    const RowRef row{.head = head,
                     .state = ConstBytes{state}.first(field::game().kinds[1].type.bytes),
                     .input = {}};
    const Bits bits = row_written(field::game(), row);
    EXPECT_EQ(bits.count, near_bits(field::game(), row) + far_bits(head.min));
    Rows rows{field::game()};
    BitReader in{bits.bytes};
    if (!was_read(head.id, kOrigin, in, rows)) return std::nullopt;
    EXPECT_EQ(in.at(), bits.count);
    return rows.head(0);
  }

  static RowHead crate(IdClass by = IdClass::ByServer) {
    return {.id = spawned_id(by, {.lineage = 4'096, .tick = {1}, .count = 0}),
            .min = {},
            .velocity = {},
            .kind = 1};
  }
};

TEST_F(RowCodecTest, APlaceNearTheOriginIsShort) {
  for (const std::int32_t from : {0, 1, -1, kNear - 1, -kNear, kNear, -kNear - 1}) {
    for (const std::size_t axis : {0U, 1U}) {
      RowHead head = crate();
      head.min = kOrigin;
      head.min[axis] += from;
      EXPECT_EQ(is_near(head.min, kOrigin), from < kNear && from >= -kNear) << from;
      EXPECT_EQ(read_again(head), head) << from;
    }
  }
  for (const Vec2 place : {Vec2{INT32_MIN, INT32_MAX}, Vec2{INT32_MAX, INT32_MIN}}) {
    RowHead head = crate();
    head.min = place;
    EXPECT_EQ(read_again(head), head);
  }
}

TEST_F(RowCodecTest, EveryVelocityComesBack) {
  for (unsigned bits = 0; bits < 28; ++bits) {
    for (const std::int32_t sign : {-1, 1}) {
      for (const std::int32_t more : {-1, 0, 1}) {
        RowHead head = crate();
        head.velocity = {0, sign * ((1 << bits) + more)};
        EXPECT_EQ(read_again(head), head);
        std::swap(head.velocity.x, head.velocity.y);
        EXPECT_EQ(read_again(head), head);
      }
    }
  }
}

TEST_F(RowCodecTest, EveryParentComesBackForWhatAnEntityHasSpawned) {
  for (const Parent parent :
       {Parent::Collides, Parent::IgnoredThisTick, Parent::IgnoredUntilApart}) {
    RowHead head = crate(IdClass::ByEntity);
    head.parent = parent;
    if (parent != Parent::Collides) head.ignores = {77};
    EXPECT_EQ(read_again(head), head);
  }
  RowHead head = crate();
  head.carrier = {99};
  head.is_new = true;
  EXPECT_EQ(read_again(head), head);
}

// The place could have been written from the origin, and was not.
TEST_F(RowCodecTest, ANearPlaceInTheLongFormIsRefused) {
  const RowHead head = crate();
  const auto row = [&](BitWriter& out) {
    out.write(head.kind, 2);
    out.write(0, 1);
    out.write(1, 1);
    out.write(static_cast<std::uint32_t>(kOrigin.x), 32);
    out.write(static_cast<std::uint32_t>(kOrigin.y), 32);
    out.write(0, 5 + 1 + 8);
  };
  const Bits bits = written(row);
  BitReader in{bits.bytes};
  Rows rows{field::game()};
  EXPECT_FALSE(was_read(head.id, kOrigin, in, rows));
  BitReader far{bits.bytes};
  EXPECT_TRUE(was_read(head.id, {kOrigin.x + 2 * kNear, 0}, far, rows))
      << "far from another origin";
}

class RowCodecOfGame : public RowCodecTest,
                       public ::testing::WithParamInterface<const GameTable*> {};

TEST_P(RowCodecOfGame, EveryRowComesBack) {
  const GameTable& game = *GetParam();
  laws::RandomMatch match{
      game, engine::make_map(game, {.seats = 6}, 60), {.seed = 8, .tick_rate = 60, .seats = 6}};
  Rows rows;
  Rows read{game};
  std::vector<bool> kinds(game.kinds.size());
  for (int tick = 0; tick < 400; ++tick) {
    match.draw();
    match.step();
    rows.assign(match.world());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RowRef row = rows.row(i);
      kinds[row.head.kind] = true;
      const Bits bits = row_written(game, row);
      ASSERT_EQ(bits.count, near_bits(game, row) + far_bits(row.head.min));
      read.clear();
      BitReader in{bits.bytes};
      ASSERT_TRUE(was_read(row.head.id, kOrigin, in, read));
      ASSERT_EQ(in.at(), bits.count);
      ASSERT_TRUE(are_equal(game, read.row(0), row));
    }
  }
  EXPECT_TRUE(std::ranges::all_of(kinds, [](bool is_seen) { return is_seen; }));
}

INSTANTIATE_TEST_SUITE_P(Games, RowCodecOfGame,
                         ::testing::Values(&games::arena(), &tests::menagerie()),
                         [](const auto& of) { return std::string{of.param->name}; });

}  // namespace
}  // namespace tickbox::views
