#include "record/difference.h"

#include "core/text.h"

#include <utility>

namespace tickbox::record {

std::optional<Difference> first_difference(const engine::World& expected,
                                           const engine::World& got) {
  auto found = engine::compare_worlds(expected, got);
  if (!found) return std::nullopt;
  engine::FieldDifference& first = found->first_fields.front();
  return Difference{.entity = found->entity,
                    .subject = std::move(found->subject),
                    .field = std::move(first.field),
                    .expected = std::move(first.expected),
                    .got = std::move(first.got)};
}

Difference difference_or_hashes(const engine::World& expected, const engine::World& got) {
  auto first = first_difference(expected, got);
  return first ? *std::move(first)
               : hash_difference(engine::state_hash(expected), engine::state_hash(got));
}

Difference hash_difference(std::uint64_t expected, std::uint64_t got) {
  return {.entity = std::nullopt,
          .subject = {},
          .field = "state_hash",
          .expected = hash_text(expected),
          .got = hash_text(got)};
}

}  // namespace tickbox::record
