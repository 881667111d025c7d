#pragma once
// A JSON text as a tree with the line number of each part, so that an error can name the line.

#include "json/reader.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::scenario {

struct JsonMember;

/// A JSON value. Invariant: only the members that belong to its kind are set.
struct JsonValue {
  enum class Kind : std::uint8_t { Null, Boolean, Whole, Decimal, Text, List, Object };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  ///< the line on which it begins, from 1
  std::int64_t whole = 0;
  double number = 0;  ///< set for a whole number too
  std::string text{};
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  ///< in the order of the file

  [[nodiscard]] bool is_number() const { return kind == Kind::Whole || kind == Kind::Decimal; }

  /// Returns the member called `key`, or nullptr.
  [[nodiscard]] const JsonMember* find(std::string_view key) const;
};

struct JsonMember {
  std::string key{};
  std::uint32_t line = 0;
  JsonValue value{};
};

/// The largest number of keys of an object; a body has at most 22.
inline constexpr std::size_t kJsonMembersMax = 64;

/// Parses a text. A value takes some 140 bytes of memory. Fails: as json::read().
[[nodiscard]] std::expected<JsonValue, json::Error> parse_json(std::string_view text);

/// Returns a value as text for messages; a long text is cut.
[[nodiscard]] std::string shown(const JsonValue& value);

}  // namespace tickbox::scenario
