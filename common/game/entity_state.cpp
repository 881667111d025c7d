#include "game/entity_state.h"

#include <type_traits>

namespace tickbox::game {

std::uint64_t entity_hash(const EntityState& entity) {
  FieldHasher<64> hasher;
  for_each_field(entity, [&](const char*, auto field) {
    if constexpr (std::is_enum_v<decltype(field)>) {
      hasher.add(static_cast<std::underlying_type_t<decltype(field)>>(field));
    } else if constexpr (std::is_same_v<decltype(field), decltype(BodyId::value)>) {
      hasher.add(wire_id({field}));
    } else {
      hasher.add(field);
    }
  });
  return hasher.digest(wire_id(entity.id));
}

std::string_view kind_name(BodyId id) {
  if (has_kind(id, EntityKind::Player)) return "player";
  if (has_kind(id, EntityKind::Crate)) return "crate";
  if (has_kind(id, EntityKind::Bullet)) return "bullet";
  return "none";
}

}  // namespace tickbox::game
