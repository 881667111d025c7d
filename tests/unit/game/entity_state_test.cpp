#include "game/entity_state.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

namespace tickbox::game {
namespace {

// A field that is replicated but not hashed would be a desync that nobody sees: each one must
// change the hash.
TEST(EntityState, EveryFieldEntersTheHash) {
  const EntityState entity{
      .id = crate_body(3), .min = {1, 2}, .velocity = {3, 4}, .traits = {.timer = 9}};
  std::set<std::uint64_t> hashes = {entity_hash(entity)};
  std::size_t fields = 0;
  EntityState probe = entity;
  for_each_field(probe, [&](const char* name, auto& field) {
    ++fields;
    const auto before = field;
    using Field = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      field = EntityKind::Bullet;
    } else {
      field = static_cast<Field>(field + 1);
    }
    EXPECT_TRUE(hashes.insert(entity_hash(probe)).second) << name;
    field = before;
  });
  EXPECT_EQ(fields, 8U);
}

TEST(EntityState, IdsTellKindAndPlayer) {
  const PlayerId player{4'095};
  EXPECT_TRUE(has_kind(player_body(player, 77), EntityKind::Player));
  EXPECT_EQ(player_of(player_body(player, 77)), player);
  EXPECT_NE(player_body(player, 77), player_body(player, 78));
  EXPECT_TRUE(has_kind(bullet_body(player, {1'000'000}), EntityKind::Bullet));
  EXPECT_EQ(player_of(bullet_body(player, {1'000'000})), player);
  EXPECT_TRUE(has_kind(crate_body(12), EntityKind::Crate));
  EXPECT_FALSE(is_entity({3U << 30}));
}

}  // namespace
}  // namespace tickbox::game
