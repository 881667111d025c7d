#include "record/difference.h"

#include "core/text.h"
#include "game/view_difference.h"

#include <vector>

namespace tickbox::record {
namespace {

/// Returns the value of a field, which one side may not have.
std::string text_of(const std::optional<std::int64_t>& value) {
  return value ? std::to_string(*value) : "absent";
}

}  // namespace

std::optional<Difference> first_difference(const Keyframe& expected, const game::World& got) {
  std::vector<game::EntityState> entities;
  entities.reserve(got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    entities.push_back(got.entity(i));
  }
  if (const auto differs = game::compare_views(expected.entities, entities)) {
    const game::FieldDifference& first = differs->first_fields[0];
    return Difference{differs->first, std::string{first.field}, text_of(first.expected),
                      text_of(first.got)};
  }
  if (expected.seats.size() != got.seats().size()) {
    return Difference{std::nullopt, "seats", std::to_string(expected.seats.size()),
                      std::to_string(got.seats().size())};
  }
  for (std::size_t seat = 0; seat < expected.seats.size(); ++seat) {
    const auto text = [](const game::SeatState& s) {
      return "generation " + std::to_string(s.generation) + " score " + std::to_string(s.score) +
             (s.taken ? " taken" : " free");
    };
    if (expected.seats[seat] != got.seats()[seat]) {
      return Difference{std::nullopt, "seat " + std::to_string(seat), text(expected.seats[seat]),
                        text(got.seats()[seat])};
    }
  }
  if (expected.random != got.rng.state()) {
    return Difference{std::nullopt, "rng", hash_text(expected.random), hash_text(got.rng.state())};
  }
  return std::nullopt;
}

Difference hash_difference(std::uint64_t expected, std::uint64_t got) {
  return {std::nullopt, "state_hash", hash_text(expected), hash_text(got)};
}

}  // namespace tickbox::record
