#include "record/difference.h"

#include "core/text.h"

#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tickbox::record {
namespace {

/// Returns every field of an entity as text, in wire order.
std::vector<std::pair<std::string_view, std::string>> texts_of(const game::EntityState& entity) {
  std::vector<std::pair<std::string_view, std::string>> texts;
  game::for_each_field(entity, [&](const char* name, auto field) {
    if constexpr (std::is_enum_v<decltype(field)>) {
      texts.emplace_back(name, std::to_string(std::to_underlying(field)));
    } else {
      texts.emplace_back(name, std::to_string(field));
    }
  });
  return texts;
}

std::optional<Difference> entity_difference(const game::EntityState& expected,
                                            const game::EntityState& got) {
  const auto want = texts_of(expected);
  const auto have = texts_of(got);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (want[i].second != have[i].second) {
      return Difference{expected.id, std::string{want[i].first}, want[i].second, have[i].second};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> first_difference(const Keyframe& expected, const game::World& got) {
  constexpr std::string_view kAbsent = "absent";
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.entities.size() || j < got.size()) {
    const bool want = i < expected.entities.size();
    const bool have = j < got.size();
    const BodyId wanted = want ? expected.entities[i].id : BodyId{};
    const BodyId had = have ? got.entity(j).id : BodyId{};
    if (!have || (want && wanted < had)) {
      return Difference{wanted, "id", std::to_string(wanted.value), std::string{kAbsent}};
    }
    if (!want || had < wanted) {
      return Difference{had, "id", std::string{kAbsent}, std::to_string(had.value)};
    }
    if (auto difference = entity_difference(expected.entities[i], got.entity(j))) return difference;
    ++i;
    ++j;
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
