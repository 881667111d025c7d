#include "client/scenario/scenario_reader.h"

#include "core/text.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tickbox::scenario {
namespace {

std::string in_quotes(std::string_view text) {
  return "\"" + std::string{text} + "\"";
}

bool is_pair(const json::Value& value) {
  return value.is_array() && value.size() == 2;
}

/// Returns a value as text for messages; a long text is cut.
std::string shown(const json::Value& value) {
  constexpr std::size_t kShownMax = 40;
  if (value.is_object()) return "{…}";
  const std::string text = value.dump(-1, ' ', true, json::Value::error_handler_t::replace);
  return text.size() <= kShownMax ? text : text.substr(0, kShownMax) + "…";
}

}  // namespace

void FirstError::add(std::string_view path, std::string_view message) {
  if (found()) return;
  line = printable(file + ": " + std::string{path} + (path.empty() ? "" : ": ") +
                   std::string{message});
}

const json::Value* ObjectReader::find(std::string_view key) const {
  const auto place = object_->find(key);
  return place == object_->end() ? nullptr : &*place;
}

bool ObjectReader::has(std::string_view key) const {
  return object_->contains(key);
}

void ObjectReader::fail(std::string_view key, const std::string& message) {
  if (!has(key)) return error_->add(path_, message);
  error_->add(path_ + (path_.empty() ? "" : ".") + std::string{key}, message);
}

void ObjectReader::require(std::string_view key) {
  if (!has(key)) fail(key, "key " + in_quotes(key) + " is missing");
}

std::optional<std::int64_t> ObjectReader::whole(std::string_view key, std::int64_t low,
                                                std::int64_t high) {
  const json::Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const bool is_large = value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX;
  if (value->is_number_integer() && !is_large) {
    const auto number = value->get<std::int64_t>();
    if (number >= low && number <= high) return number;
  }
  fail(key, in_quotes(key) + " must be a whole number from " + std::to_string(low) + " to " +
                std::to_string(high) + ", but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::rounded(std::string_view key, const json::Value& value,
                                                  const Scale& scale) {
  constexpr double kFarTooLarge = 4e18;
  if (allows_null_ && value.is_null()) return 0;
  const double exact = value.is_number() ? value.get<double>() * scale.factor : kFarTooLarge;
  if (std::abs(exact) < kFarTooLarge) {
    const std::int64_t nearest = std::llround(exact);
    if (nearest >= scale.low && nearest <= scale.high) return nearest;
  }
  const json::Value& whole = *find(key);
  fail(key, in_quotes(key) + (whole.is_array() ? " must be numbers " : " must be a number ") +
                scale.words + ", but is " + shown(whole));
  return std::nullopt;
}

std::optional<std::int64_t> ObjectReader::scaled(std::string_view key, const Scale& scale) {
  const json::Value* const value = find(key);
  return value == nullptr ? std::nullopt : rounded(key, *value, scale);
}

std::optional<Vec2> ObjectReader::pair(std::string_view key, const json::Value& value,
                                       const Scale& scale) {
  const auto x = rounded(key, value[0], scale);
  const auto y = rounded(key, value[1], scale);
  if (!x || !y) return std::nullopt;
  return Vec2{static_cast<std::int32_t>(*x), static_cast<std::int32_t>(*y)};
}

bool ObjectReader::is_null(std::string_view key, std::size_t place) const {
  const json::Value* const value = find(key);
  return value != nullptr && is_pair(*value) && (*value)[place].is_null();
}

std::optional<Vec2> ObjectReader::scaled_pair(std::string_view key, const Scale& scale) {
  const json::Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (is_pair(*value)) return pair(key, *value, scale);
  fail(key, in_quotes(key) + " must be a pair [x, y], but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::vector<Vec2>> ObjectReader::scaled_pairs(std::string_view key,
                                                            const Scale& scale, std::size_t most) {
  const json::Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  const std::size_t count = value->is_array() ? value->size() : 0;
  if (count < 1 || count > most || !std::ranges::all_of(*value, is_pair)) {
    fail(key, in_quotes(key) + " must be 1 to " + std::to_string(most) +
                  " pairs [[x, y], …], but is " +
                  (count > most ? "a list of " + std::to_string(count) : shown(*value)));
    return std::nullopt;
  }
  std::vector<Vec2> pairs;
  for (const json::Value& item : *value) {
    const auto one = pair(key, item, scale);
    if (!one) return std::nullopt;
    pairs.push_back(*one);
  }
  return pairs;
}

std::optional<bool> ObjectReader::truth(std::string_view key) {
  const json::Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  fail(key, in_quotes(key) + " must be true or false, but is " + shown(*value));
  return std::nullopt;
}

std::optional<std::size_t> ObjectReader::word(std::string_view key,
                                              std::span<const std::string_view> words) {
  const json::Value* const value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) {
    const auto place = std::ranges::find(words, value->get_ref<const std::string&>());
    if (place != words.end()) return static_cast<std::size_t>(place - words.begin());
  }
  std::string known;
  for (const std::string_view one : words) {
    known += (known.empty() ? "" : ", ") + std::string{one};
  }
  fail(key, in_quotes(key) + " must be one of " + known + ", but is " + shown(*value));
  return std::nullopt;
}

std::span<const json::Value> ObjectReader::objects(std::string_view key) {
  const json::Value* const list = find(key);
  if (list == nullptr) return {};
  const auto is_object = [](const json::Value& item) { return item.is_object(); };
  if (list->is_array() && std::ranges::all_of(*list, is_object)) {
    return list->get_ref<const json::Value::array_t&>();
  }
  fail(key, in_quotes(key) + " must be a list of objects [{…}, …]");
  return {};
}

void ObjectReader::check_keys(std::span<const std::string_view> known) {
  for (const auto& [key, value] : object_->items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    const auto near = nearest_name(key, known);
    error_->add(path_, "unknown key " + in_quotes(key) +
                           (near ? "; did you mean " + in_quotes(*near) + "?" : ""));
  }
}

}  // namespace tickbox::scenario
