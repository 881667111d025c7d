#pragma once
// The list of players that a GameServer of Agones has, and the changes that make it the wanted one.
//
// The side car can set a whole list (PATCH), but not safely. By the sources of Agones 1.44 to 1.56,
// that discards changes that are not written yet, and a list that the spec does not have ends the
// side car. From 1.55 on it fails for most servers of the namespace `default`. So the list is read,
// and each value that is missing or too many is a change of its own.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>

namespace tickbox::server {

/// A change of one value.
struct ListChange {
  enum class Kind : std::uint8_t { Remove, Add };

  Kind kind{};
  std::string value{};
};

class PlayerList {
 public:
  /// The most changes of one plan.
  static constexpr std::size_t kChangesMost = 50;

  /// Replaces the values by those that the side car has.
  void set(std::set<std::string> values);

  /// Returns the next change, nullptr if none is needed. Plans the changes if none is planned:
  /// removals first, because they make space in a list that is full. `players`: client ids,
  /// repeats included; a planned change does not depend on them any more.
  [[nodiscard]] const ListChange* next(std::span<const std::uint64_t> players);

  /// Makes the next change, which the side car has taken. Returns whether it was the last planned
  /// one. Requires: next() has returned one.
  bool apply_next();

 private:
  std::set<std::string> values_;
  std::deque<ListChange> changes_;  ///< planned
};

}  // namespace tickbox::server
