#pragma once
// A JSON text as a tree that knows on which line each of its parts stands, so that an error can say
// where.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::scenario {

struct JsonMember;

/// One value.   Invariant: only what belongs to its kind is set.
struct JsonValue {
  enum class Kind : std::uint8_t { Null, Boolean, Whole, Decimal, Text, List, Object };

  Kind kind = Kind::Null;
  std::uint32_t line = 0;  ///< where it begins, from 1
  std::int64_t whole = 0;
  double number = 0;  ///< of a whole one too
  std::string text{};
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;  ///< in the order of the file

  [[nodiscard]] bool is_number() const { return kind == Kind::Whole || kind == Kind::Decimal; }

  /// The member called `key`, or nullptr.
  [[nodiscard]] const JsonMember* find(std::string_view key) const;
};

struct JsonMember {
  std::string key{};
  std::uint32_t line = 0;
  JsonValue value{};
};

struct JsonError {
  std::uint32_t line = 0;
  std::string message{};
};

/// Lists and objects inside each other; a file of ours needs five.
inline constexpr std::size_t kJsonDepthMax = 32;

/// Fails: where the text is no JSON, is nested too deeply, or an object has a key twice.
[[nodiscard]] std::expected<JsonValue, JsonError> parse_json(std::string_view text);

/// A value as people would write it, cut where it is long: for messages.
[[nodiscard]] std::string shown(const JsonValue& value);

}  // namespace tickbox::scenario
