#pragma once
// Values of declared types, entities, and how two worlds of one tick differ, in words for a person.
// Values also as JSON.

#include "core/bytes.h"
#include "core/function_ref.h"
#include "core/ids.h"
#include "engine/row.h"
#include "engine/world.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::engine {

/// Returns value `i` of a field: a number, a seat or "nobody", the id of an entity or "none".
[[nodiscard]] std::string text_of(const FieldInfo& field, std::size_t i, ConstBytes type);

/// Returns the name of value `i` of a field; of an array with its index, as in "ammo[2]".
[[nodiscard]] std::string name_of(const FieldInfo& field, std::size_t i);

/// Returns the name of an entity for people: its kind and seat for an avatar, else its kind and as
/// much as its id says.
[[nodiscard]] std::string entity_in_words(std::string_view kind, BodyId id);

/// Returns the values of `after` that differ from `before`, as in "move 3, fire 1".
[[nodiscard]] std::string changes_in_words(const TypeInfo& type, ConstBytes before,
                                           ConstBytes after);

/// Returns the values that differ from those by default, in the same form.
[[nodiscard]] std::string value_in_words(const TypeInfo& type, ConstBytes value);

/// Returns an object with each field: a number, a flag or press as a boolean, a seat, the id of an
/// entity as text; null for nobody and for no entity; of an array a list. It has no blanks.
[[nodiscard]] std::string value_json(const TypeInfo& type, ConstBytes value);

/// Appends a caption: players as "P3" or "nobody", `own` as "you"; nothing for a caption without
/// words.
void append_caption(const Caption& caption, Player own, std::string& out);

// The entities and fields in which two worlds of one tick differ.

/// A field with different values. Of an array: the name and the index, as in "ammo[2]".
struct FieldDifference {
  std::string field;
  /// A number, the name of a kind, "nobody", "none", 16 hexadecimal digits of a random sequence or
  /// seed, or "absent".
  std::string expected;
  std::string got;

  friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

/// What differs first has all of its differing fields here; the rest is counted. Entities are
/// first, by id, then the number of seats, seats, the room's state, the secret state, and the rest.
struct WorldDifference {
  std::size_t entities = 0;  ///< entities that differ, or that only one world has
  std::size_t fields = 0;    ///< their fields that differ; 1 for an entity that only one world has
  std::size_t others = 0;    ///< values that differ beside the entities
  std::optional<BodyId> entity;  ///< the lowest id of these entities
  /// What differs first: an entity as in "Hero #17", "seat 3", "room", "secret", or empty for the
  /// number of seats, tick, random sequence, seed and lineage.
  std::string subject;
  /// Its differing fields. An entity that only one world has: its id, and "absent".
  std::vector<FieldDifference> first_fields;
};

/// Returns how the entities differ for which `is_compared` returns true; nothing if they do not.
/// Requires: worlds of the same game.
[[nodiscard]] std::optional<WorldDifference> compare_entities(
    const World& expected, const World& got, const std::function<bool(BodyId)>& is_compared);

/// Returns how two worlds differ; nothing if they do not. To compare with a keyframe, give its
/// world. Requires: worlds of the same game.
[[nodiscard]] std::optional<WorldDifference> compare_worlds(const World& expected,
                                                            const World& got);

/// Returns one line for the first field, as in "Hero #17 coyote: expected 4, got 3".
[[nodiscard]] std::string to_text(const WorldDifference& difference);

// What differs between two states of one game, from rows and values that may be anywhere.

/// Rows to be compared, by id.
struct ComparedRows {
  std::size_t size;
  FunctionRef<RowRef(std::size_t)> row;
};

/// Counts the differences, and keeps those of what differs first.
class Differences {
 public:
  explicit Differences(const GameTable& game) : game_(game) {}

  /// Compares the rows for whose ids `is_compared` returns true.
  void compare_entities(const ComparedRows& expected, const ComparedRows& got,
                        FunctionRef<bool(BodyId)> is_compared);

  /// Begins what is compared next, and is no entity. `part`: as WorldDifference::subject; lives
  /// until the next call.
  void begin(std::string_view part);

  template <class Number>
  void compare(std::string_view field, Number expected, Number got) {
    if (expected != got) add(field, std::to_string(expected), std::to_string(got));
  }

  void compare_ids(std::string_view field, BodyId expected, BodyId got);
  void compare_hashes(std::string_view field, std::uint64_t expected, std::uint64_t got);
  void compare_values(const TypeInfo& type, ConstBytes expected, ConstBytes got,
                      std::string_view prefix = {});

  /// Returns what was found; nothing if nothing differs.
  [[nodiscard]] std::optional<WorldDifference> finish();

 private:
  void begin_entity(const RowHead& head);
  void compare_rows(const RowRef& expected, const RowRef& got);
  void add(std::string_view field, std::string expected, std::string got);
  [[nodiscard]] std::string name_of(const RowHead& head) const;

  const GameTable& game_;
  WorldDifference found_;
  std::optional<RowHead> entity_;  ///< that is compared; nothing: none is
  std::string_view part_;
  bool is_counted_ = false;  ///< a difference of what is compared was found
  bool is_first_ = false;    ///< what is compared differs first
};

}  // namespace tickbox::engine
