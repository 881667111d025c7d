#include "game/view_difference.h"

#include <array>
#include <type_traits>
#include <utility>

namespace tickbox::game {
namespace {

struct Field {
  std::string_view name;
  std::int64_t value = 0;
};

std::int64_t number_of(BodyId id) {
  return static_cast<std::int64_t>(id.value);
}

std::array<Field, kEntityFields> fields_of(const EntityState& entity) {
  std::array<Field, kEntityFields> fields;
  std::size_t count = 0;
  for_each_field(entity, [&](const char* name, auto value) {
    if constexpr (std::is_enum_v<decltype(value)>) {
      fields[count++] = {name, std::int64_t{std::to_underlying(value)}};
    } else {
      fields[count++] = {name, static_cast<std::int64_t>(value)};
    }
  });
  return fields;
}

/// Counts the differences, and keeps those of the first entity.
class Differences {
 public:
  void only_expected(BodyId id) { begin(id).add({"id", number_of(id), std::nullopt}); }

  void only_got(BodyId id) { begin(id).add({"id", std::nullopt, number_of(id)}); }

  /// Compares two states with the same id.
  void compare(const EntityState& expected, const EntityState& got) {
    if (expected == got) return;
    begin(expected.id);
    const auto want = fields_of(expected);
    const auto have = fields_of(got);
    for (std::size_t i = 0; i < want.size(); ++i) {
      if (want[i].value != have[i].value) add({want[i].name, want[i].value, have[i].value});
    }
  }

  [[nodiscard]] std::optional<ViewDifference> result() const {
    return found_.entities > 0 ? std::optional{found_} : std::nullopt;
  }

 private:
  Differences& begin(BodyId id) {
    if (found_.entities++ == 0) found_.first = id;
    return *this;
  }

  void add(const FieldDifference& field) {
    ++found_.fields;
    if (found_.entities == 1) found_.first_fields.push_back(field);
  }

  ViewDifference found_;
};

}  // namespace

std::optional<ViewDifference> compare_views(std::span<const EntityState> expected,
                                            std::span<const EntityState> got) {
  Differences differences;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.size() || j < got.size()) {
    if (j == got.size() || (i < expected.size() && expected[i].id < got[j].id)) {
      differences.only_expected(expected[i++].id);
    } else if (i == expected.size() || got[j].id < expected[i].id) {
      differences.only_got(got[j++].id);
    } else {
      differences.compare(expected[i++], got[j++]);
    }
  }
  return differences.result();
}

}  // namespace tickbox::game
