#include "client/scenario/scenario_reader.h"

#include "core/text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tickbox::scenario {
namespace {

std::string in_quotes(std::string_view text) {
  return "\"" + std::string{text} + "\"";
}

bool is_pair(const JsonValue& value) {
  return value.kind == JsonValue::Kind::List && value.items.size() == 2;
}

}  // namespace

void FirstError::add(std::uint32_t at_line, std::string_view message) {
  if (found()) return;
  line = file + (at_line == 0 ? "" : ":" + std::to_string(at_line)) + ": " + std::string{message};
}

const JsonValue* ObjectReader::find(std::string_view key) const {
  const JsonMember* const member = object_->find(key);
  return member == nullptr ? nullptr : &member->value;
}

bool ObjectReader::has(std::string_view key) const {
  return object_->find(key) != nullptr;
}

std::string ObjectReader::with_owner(const std::string& message) const {
  return owner_.empty() ? message : message + " " + owner_;
}

void ObjectReader::fail(std::string_view key, const std::string& message) {
  const JsonMember* const member = object_->find(key);
  error_->add(member == nullptr ? object_->line : member->line, with_owner(message));
}

void ObjectReader::require(std::string_view key) {
  if (!has(key)) fail(key, "key " + in_quotes(key) + " is missing");
}

std::optional<std::int64_t> ObjectReader::whole(std::string_view key, std::int64_t low,
                                                std::int64_t high) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonValue::Kind::Whole && value->whole >= low && value->whole <= high) {
    return value->whole;
  }
  fail(key, in_quotes(key) + " must be a whole number from " + std::to_string(low) + " to " +
                std::to_string(high) + ", but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::rounded(std::string_view key, const JsonValue& value,
                                                  const Scale& scale) {
  constexpr double kFarTooLarge = 4e18;
  if (allows_null_ && value.kind == JsonValue::Kind::Null) return 0;
  const double exact = value.number * scale.factor;
  if (value.is_number() && std::abs(exact) < kFarTooLarge) {
    const std::int64_t nearest = std::llround(exact);
    if (nearest >= scale.low && nearest <= scale.high) return nearest;
  }
  const JsonValue& whole = *find(key);
  fail(key, in_quotes(key) +
                (whole.kind == JsonValue::Kind::List ? " must be numbers " : " must be a number ") +
                scale.words + ", but is " + shown(whole));
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::scaled(std::string_view key, const Scale& scale) {
  const JsonValue* const value = find(key);
  return value == nullptr ? std::nullopt : rounded(key, *value, scale);
}

std::optional<Vec2> ObjectReader::pair(std::string_view key, const JsonValue& value,
                                       const Scale& scale) {
  const auto x = rounded(key, value.items[0], scale);
  const auto y = rounded(key, value.items[1], scale);
  if (!x || !y) return std::nullopt;
  return Vec2{static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*y)};
}

bool ObjectReader::is_null(std::string_view key, std::size_t place) const {
  const JsonValue* const value = find(key);
  return value != nullptr && is_pair(*value) && value->items[place].kind == JsonValue::Kind::Null;
}

std::optional<Vec2> ObjectReader::scaled_pair(std::string_view key, const Scale& scale) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (is_pair(*value)) return pair(key, *value, scale);
  fail(key, in_quotes(key) + " must be a pair [x, y], but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::vector<Vec2>> ObjectReader::scaled_pairs(std::string_view key,
                                                            const Scale& scale, std::size_t most) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::size_t count = value->items.size();
  if (count < 1 || count > most || !std::ranges::all_of(value->items, is_pair)) {
    fail(key, in_quotes(key) + " must be 1 to " + std::to_string(most) +
                  " pairs [[x, y], …], but is " +
                  (count > most ? "a list of " + std::to_string(count) : shown(*value)));
    return std::nullopt;
  }
  std::vector<Vec2> pairs;
  for (const JsonValue& item : value->items) {
    const auto one = pair(key, item, scale);
    if (!one) return std::nullopt;
    pairs.push_back(*one);
  }
  return pairs;
}

std::optional<bool> ObjectReader::truth(std::string_view key) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->kind == JsonValue::Kind::Boolean) return value->text == "true";
  fail(key, in_quotes(key) + " must be true or false, but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::size_t> ObjectReader::word(std::string_view key,
                                              std::span<const std::string_view> words) {
  const JsonValue* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto place = std::ranges::find(words, value->text);
  if (value->kind == JsonValue::Kind::Text && place != words.end()) {
    return static_cast<std::size_t>(place - words.begin());
  }
  std::string known;
  for (const std::string_view one : words) {
    known += (known.empty() ? "" : ", ") + std::string{one};
  }
  fail(key, in_quotes(key) + " must be one of " + known + ", but is " + shown(*value));
  return std::nullopt;
}

void ObjectReader::check_keys(std::span<const std::string_view> known) {
  for (const JsonMember& member : object_->members) {
    if (std::ranges::find(known, member.key) != known.end()) continue;
    const auto near = nearest_name(member.key, known);
    error_->add(member.line, with_owner("unknown key " + in_quotes(member.key)) +
                                 (near ? "; did you mean " + in_quotes(*near) + "?" : ""));
  }
}

}  // namespace tickbox::scenario
