#pragma once
// Collects what differs between two states of one game, from rows and values that may be anywhere.

#include "core/bytes.h"
#include "core/function_ref.h"
#include "core/ids.h"
#include "engine/log/world_difference.h"
#include "engine/row.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tickbox::engine {

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
