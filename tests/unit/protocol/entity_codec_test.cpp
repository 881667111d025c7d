#include "game/entity_codec.h"

#include "tests/unit/protocol/samples.h"

#include "schema/wire_generated.h"
#include "schema/world_generated.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

namespace tickbox::protocol {
namespace {

std::size_t field_count() {
  game::EntityState entity;
  std::size_t count = 0;
  game::for_each_field(entity, [&](const char*, auto&) { ++count; });
  return count;
}

// A blank entity but for one field, which is 1: a value that every field may have.
game::EntityState with_field_set(std::size_t index, std::string& name) {
  game::EntityState entity;
  std::size_t at = 0;
  bool kind_changed = false;
  game::for_each_field(entity, [&](const char* field_name, auto& field) {
    if (at++ != index) return;
    field = static_cast<std::remove_reference_t<decltype(field)>>(1);
    name = field_name;
    kind_changed = std::is_enum_v<std::remove_reference_t<decltype(field)>>;
  });
  if (kind_changed) entity.id = game::crate_body(0);  // an id tells its kind
  return entity;
}

// A field that is in the list and not in the codec comes back as 0.
TEST(EntityCodec, CarriesEveryFieldOfTheList) {
  ASSERT_GE(field_count(), 8U);
  for (std::size_t i = 0; i < field_count(); ++i) {
    std::string name;
    const game::EntityState entity = with_field_set(i, name);
    const auto decoded = game::decode_entity(encode_entity(entity));
    ASSERT_TRUE(decoded) << name;
    EXPECT_EQ(*decoded, entity) << name;
  }
}

TEST(EntityCodec, CarriesAnEntityOfDistinctValues) {
  const auto decoded = game::decode_entity(encode_entity(samples::entity(3)));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, samples::entity(3));
}

TEST(EntityCodec, CarriesTheEndsOfEveryRange) {
  for (const std::int32_t sign : {-1, 1}) {
    auto entity = samples::entity(4'095);
    constexpr std::int32_t kLast = kWorldLimit - 16 * kUnit;
    entity.min = {.x = sign * kLast, .y = -sign * kLast};
    entity.velocity = {.x = sign * kSpeedLimit, .y = -sign * kSpeedLimit};
    entity.traits.move = game::kMoveDirections;
    entity.traits.timer = 255;
    const auto decoded = game::decode_entity(encode_entity(entity));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(*decoded, entity);
  }
}

TEST(EntityCodec, RefusesWhatNoEntityCanBe) {
  using Change = std::function<void(schema::Entity&)>;
  const std::pair<const char*, Change> changes[] = {
      {"kind beyond the last", [](auto& e) { e.mutate_kind(3); }},
      {"kind other than the id's", [](auto& e) { e.mutate_kind(1); }},
      {"id of another kind", [](auto& e) { e.mutate_id(game::crate_body(1).value); }},
      {"id of no kind", [](auto& e) { e.mutate_id(0xffff'ffff); }},
      {"move", [](auto& e) { e.mutate_move(9); }},
      {"x too large", [](auto& e) { e.mutate_x(kWorldLimit - 16 * kUnit + 1); }},
      {"x too small", [](auto& e) { e.mutate_x(-kWorldLimit + 16 * kUnit - 1); }},
      {"y too large", [](auto& e) { e.mutate_y(kWorldLimit - 16 * kUnit + 1); }},
      {"y too small", [](auto& e) { e.mutate_y(-kWorldLimit + 16 * kUnit - 1); }},
      {"y smallest of all", [](auto& e) { e.mutate_y(std::numeric_limits<std::int32_t>::min()); }},
      {"vx", [](auto& e) { e.mutate_vx(kSpeedLimit + 1); }},
      {"vy", [](auto& e) { e.mutate_vy(-kSpeedLimit - 1); }},
  };
  for (const auto& [name, change] : changes) {
    schema::Entity wire = encode_entity(samples::entity(3));
    ASSERT_TRUE(game::decode_entity(wire)) << name;
    change(wire);
    const auto decoded = game::decode_entity(wire);
    EXPECT_FALSE(decoded) << name;
  }
}

// Little-endian, in the places that schema/README.md gives.
TEST(EntityCodec, LaysBytesAsTheStandardSays) {
  const schema::Entity wire = game::encode_entity(
      {.id = {0x04030201},
       .min = {.x = 0x08070605, .y = 0x0c0b0a09},
       .velocity = {.x = 0x100f0e0d, .y = 0x14131211},
       .traits = {.kind = static_cast<game::EntityKind>(0x15), .move = 0x16, .timer = 0x17}});
  std::array<std::uint8_t, sizeof(wire)> bytes{};
  std::memcpy(bytes.data(), &wire, sizeof(wire));
  for (std::uint8_t i = 0; i < 23; ++i)
    EXPECT_EQ(bytes[i], i + 1);
  EXPECT_EQ(bytes[23], 0);
}

// The small form of a body: what fits it, and that it says all of it.

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

// Every field at the ends of its range comes back: none is cut, none is taken for another.
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
