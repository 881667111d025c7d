#pragma once
// Reads one object of a scenario key by key, and keeps the first error.

#include "core/fixed.h"
#include "json/reader.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::scenario {

/// The first error of a file; later ones are ignored.
struct FirstError {
  std::string file{};
  std::string line{};  ///< the whole message, printable; empty: no error

  [[nodiscard]] bool found() const { return !line.empty(); }

  /// `path`: of the wrong value in the file, as in `bodies[3].velocity`; empty: the file itself.
  void add(std::string_view path, std::string_view message);
};

/// The factor from a decimal to a whole number, and the limits of the result.
struct Scale {
  double factor = 1;
  std::int64_t low = 0;  ///< after scaling and rounding
  std::int64_t high = 0;
  std::string words;  ///< the limits in the units of the file, as in `from 0 to 1`
};

/// A reader of one object of the file. Invariant: only the first of several errors is kept.
class ObjectReader {
 public:
  /// `path`: of the object in the file, as in `bodies[3]`; empty: it is the file.
  /// Requires: `object` is a JSON object; `object` and `error` outlive the reader.
  ObjectReader(const json::Value& object, std::string path, FirstError& error)
      : object_(&object), path_(std::move(path)), error_(&error) {}

  [[nodiscard]] bool has(std::string_view key) const;

  /// Sets an error if `key` is missing.
  void require(std::string_view key);

  // Each function from whole() to word() returns nothing if the key is missing, which is no error,
  // or if the value of the key is wrong, which is an error.

  std::optional<std::int64_t> whole(std::string_view key, std::int64_t low, std::int64_t high);

  /// Returns a number, scaled and rounded to the nearest whole number. Halves are rounded away from
  /// zero, so that a mirrored file gives a mirrored world.
  std::optional<std::int64_t> scaled(std::string_view key, const Scale& scale);

  /// From now on null in a pair is read as 0.
  void allow_null() { allows_null_ = true; }

  /// Whether the pair at `key` has null at `place`.
  [[nodiscard]] bool is_null(std::string_view key, std::size_t place) const;

  /// Does what scaled() does, for a pair [x, y].
  std::optional<Vec2> scaled_pair(std::string_view key, const Scale& scale);

  /// Does what scaled() does, for a list of 1 to `most` pairs [[x, y], …].
  std::optional<std::vector<Vec2>> scaled_pairs(std::string_view key, const Scale& scale,
                                                std::size_t most);

  /// Returns the value of true or false.
  std::optional<bool> truth(std::string_view key);

  /// Returns the index of the word in `words`.
  std::optional<std::size_t> word(std::string_view key, std::span<const std::string_view> words);

  /// Returns the objects in the list at `key`. Sets an error and returns none if the value is
  /// anything else.
  std::span<const json::Value> objects(std::string_view key);

  /// Sets an error if a key is not in `known`.
  void check_keys(std::span<const std::string_view> known);

  void fail(std::string_view key, const std::string& message);

 private:
  [[nodiscard]] const json::Value* find(std::string_view key) const;
  std::optional<std::int64_t> rounded(std::string_view key, const json::Value& value,
                                      const Scale& scale);
  std::optional<Vec2> pair(std::string_view key, const json::Value& value, const Scale& scale);

  const json::Value* object_;
  std::string path_;
  FirstError* error_;
  bool allows_null_ = false;
};

}  // namespace tickbox::scenario
