#pragma once
// Reads one object of a scenario key by key, and remembers the first thing that is wrong with it.

#include "core/fixed.h"
#include "scenario/json_document.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::scenario {

/// Where errors of a whole file are gathered: only the first is kept.
struct FirstError {
  std::string file{};
  std::string line{};  ///< all of the message; empty while nothing is wrong

  [[nodiscard]] bool found() const { return !line.empty(); }

  void add(std::uint32_t at_line, std::string_view message);
};

/// How a decimal becomes a whole number, and which ones are allowed.
struct Scale {
  double factor = 1;
  std::int64_t low = 0;  ///< after scaling and rounding
  std::int64_t high = 0;
  std::string words;  ///< the limits in the file's own units, as in `from 0 to 1`
};

/// One object of the file.   Invariant: of several errors only the first is kept.
class ObjectReader {
 public:
  /// Requires: `object` is one, and outlives this, as `error` does.
  ObjectReader(const JsonValue& object, FirstError& error) : object_(&object), error_(&error) {}

  /// What the messages end with, as `in body 3`.
  void set_owner(std::string owner) { owner_ = std::move(owner); }

  [[nodiscard]] bool has(std::string_view key) const;

  /// Fails where `key` is missing.
  void require(std::string_view key);

  // Each of these has nothing to return where the key is missing, which is no error, or its value
  // is wrong, which is.

  std::optional<std::int64_t> whole(std::string_view key, std::int64_t low, std::int64_t high);

  /// A number, scaled and rounded to the nearest whole one; halves go away from zero, so that a
  /// mirrored file is the same.
  std::optional<std::int64_t> scaled(std::string_view key, const Scale& scale);

  /// The same for a pair [x, y].
  std::optional<Vec2> scaled_pair(std::string_view key, const Scale& scale);

  /// The same for a list of pairs [[x, y], …], of 1 to `most`.
  std::optional<std::vector<Vec2>> scaled_pairs(std::string_view key, const Scale& scale,
                                                std::size_t most);

  /// true or false.
  std::optional<bool> truth(std::string_view key);

  /// The place of a word in `words`.
  std::optional<std::size_t> word(std::string_view key, std::span<const std::string_view> words);

  /// Fails on every key that is not among `known`.
  void check_keys(std::span<const std::string_view> known);

  void fail(std::string_view key, const std::string& message);

 private:
  [[nodiscard]] const JsonValue* find(std::string_view key) const;
  [[nodiscard]] std::string with_owner(const std::string& message) const;
  std::optional<std::int64_t> rounded(std::string_view key, const JsonValue& value,
                                      const Scale& scale);
  std::optional<Vec2> pair(std::string_view key, const JsonValue& value, const Scale& scale);

  const JsonValue* object_;
  FirstError* error_;
  std::string owner_;
};

}  // namespace tickbox::scenario
