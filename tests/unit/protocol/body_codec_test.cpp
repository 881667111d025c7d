// The small form of a body: what fits it, and that it says all of it.

#include "game/entity_codec.h"
#include "protocol/messages.h"
#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace tickbox::protocol {
namespace {

using Short = std::numeric_limits<std::int16_t>;

game::EntityState player() {
  return {.id = game::player_body({4'095}, 15),
          .min = {.x = -70'000, .y = 80'000},
          .velocity = {.x = -9, .y = 10},
          .traits = {.kind = game::EntityKind::Player, .move = 8, .timer = 63}};
}

game::EntityState crate(std::uint32_t number) {
  return {.id = game::crate_body(number),
          .min = {.x = 1, .y = 2},
          .velocity = {},
          .traits = {.kind = game::EntityKind::Crate}};
}

template <class Change>
bool fits(game::EntityState entity, Change change) {
  change(entity);
  EXPECT_EQ(encoded_bytes(entity), fits_body(entity) ? 16U : 24U);
  return fits_body(entity);
}

TEST(BodyCodec, TakesWhatIsNeitherFastNorRich) {
  EXPECT_TRUE(fits(player(), [](auto&) {}));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.traits.timer = 64; }));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.id = game::player_body({0}, 16); }));
  EXPECT_TRUE(fits(player(), [](auto& e) { e.velocity = {Short::max(), Short::min()}; }));
  EXPECT_TRUE(fits(player(), [](auto& e) { e.velocity = {Short::min(), Short::max()}; }));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.velocity.x = Short::max() + 1; }));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.velocity.x = Short::min() - 1; }));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.velocity.y = Short::max() + 1; }));
  EXPECT_FALSE(fits(player(), [](auto& e) { e.velocity.y = Short::min() - 1; }));
  EXPECT_TRUE(fits(crate(0xffff), [](auto&) {}));
  EXPECT_FALSE(fits(crate(0x10000), [](auto&) {}));
  EXPECT_FALSE(fits(player(), [](auto& e) {
    e.id = game::bullet_body({1}, {1});
    e.traits.kind = game::EntityKind::Bullet;
  }));
}

TEST(BodyCodec, SaysAllOfWhatFits) {
  for (const game::EntityState& entity :
       {player(), crate(0), crate(0xffff), samples::entity(0), samples::entity(3)}) {
    ASSERT_TRUE(fits_body(entity));
    const auto decoded = game::decode_body(encode_body(entity));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, entity);
  }
}

// Every field alone at the ends of its range comes back: none is cut, none taken for another.
TEST(BodyCodec, CarriesTheEndsOfEveryRange) {
  constexpr std::int32_t kLast = kWorldLimit - 16 * kUnit;
  for (const bool high : {false, true}) {
    game::EntityState entity = player();
    entity.id = game::player_body({static_cast<std::uint16_t>(high ? 4'095 : 0)}, high ? 15 : 0);
    entity.min = {.x = high ? kLast : -kLast, .y = high ? -kLast : kLast};
    entity.velocity = {.x = high ? Short::max() : Short::min(),
                       .y = high ? Short::min() : Short::max()};
    entity.traits.move = high ? game::kMoveDirections : 0;
    entity.traits.timer = high ? 63 : 0;
    const auto decoded = game::decode_body(encode_body(entity));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, entity);
  }
}

TEST(BodyCodec, RefusesWhatNoEntityCanBe) {
  const auto refused = [](auto change) {
    schema::Body wire = encode_body(player());
    change(wire);
    return !game::decode_body(wire);
  };
  constexpr std::int32_t kBeyond = kWorldLimit - 16 * kUnit + 1;
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& w) { w.mutate_kind_timer(0xc0); })) << "kind beyond the last";
  EXPECT_TRUE(refused([](auto& w) { w.mutate_move(9); }));
  EXPECT_TRUE(refused([](auto& w) { w.mutate_x(kBeyond); }));
  EXPECT_TRUE(refused([](auto& w) { w.mutate_x(-kBeyond); }));
  EXPECT_TRUE(refused([](auto& w) { w.mutate_y(kBeyond); }));
  EXPECT_TRUE(refused([](auto& w) { w.mutate_y(std::numeric_limits<std::int32_t>::min()); }));
}

// Little-endian, in the places that schema/README.md gives.
TEST(BodyCodec, LaysBytesAsTheStandardSays) {
  const schema::Body wire =
      game::encode_body({.id = game::player_body({0xd0e}, 0xf),
                         .min = {.x = 0x04030201, .y = 0x08070605},
                         .velocity = {.x = 0x0a09, .y = 0x0c0b},
                         .traits = {.kind = game::EntityKind::Player, .move = 7, .timer = 33}});
  std::array<std::uint8_t, sizeof(wire)> bytes{};
  std::memcpy(bytes.data(), &wire, sizeof(wire));
  for (std::uint8_t i = 0; i < 12; ++i)
    EXPECT_EQ(bytes[i], i + 1);
  EXPECT_EQ(bytes[12], 0x0e);
  EXPECT_EQ(bytes[13], 0xfd);
  EXPECT_EQ(bytes[14], 33);
  EXPECT_EQ(bytes[15], 7);
  EXPECT_EQ(encode_body(crate(3)).kind_timer(), 1U << 6);
}

}  // namespace
}  // namespace tickbox::protocol
