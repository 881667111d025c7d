#include "game/entity_codec.h"

#include "tests/unit/protocol/samples.h"

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

}  // namespace
}  // namespace tickbox::protocol
