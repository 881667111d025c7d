#include "client/scenario/json_document.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::scenario {
namespace {

using Json = nlohmann::json;

/// A builder of the tree from the parser's events, of a text that could be read. The library
/// prescribes the names of its functions.
class TreeBuilder {
 public:
  using number_integer_t = Json::number_integer_t;
  using number_unsigned_t = Json::number_unsigned_t;
  using number_float_t = Json::number_float_t;
  using string_t = Json::string_t;
  using binary_t = Json::binary_t;

  explicit TreeBuilder(const std::uint32_t* line) : line_(line) {}

  bool null() { return add({.kind = JsonValue::Kind::Null}); }

  bool boolean(bool value) {
    return add({.kind = JsonValue::Kind::Boolean, .text = value ? "true" : "false"});
  }

  bool number_integer(number_integer_t value) {
    return add({.kind = JsonValue::Kind::Whole,
                .whole = value,
                .number = static_cast<double>(value),
                .text = std::to_string(value)});
  }

  bool number_unsigned(number_unsigned_t value) {
    if (value <= static_cast<number_unsigned_t>(INT64_MAX)) {
      return number_integer(static_cast<number_integer_t>(value));
    }
    return add({.kind = JsonValue::Kind::Decimal,
                .number = static_cast<double>(value),
                .text = std::to_string(value)});
  }

  bool number_float(number_float_t value, const string_t& text) {
    return add({.kind = JsonValue::Kind::Decimal, .number = value, .text = text});
  }

  bool string(string_t& text) {
    return add({.kind = JsonValue::Kind::Text, .text = std::move(text)});
  }

  bool binary(binary_t& /*bytes*/) { return false; }

  bool start_object(std::size_t /*size*/) { return open(JsonValue::Kind::Object); }

  bool start_array(std::size_t /*size*/) { return open(JsonValue::Kind::List); }

  bool end_object() { return close(); }

  bool end_array() { return close(); }

  bool key(string_t& name) {
    open_.back().members.push_back({.key = std::move(name), .line = *line_});
    return true;
  }

  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) {
    return false;
  }

  JsonValue& tree() { return tree_; }

 private:
  bool open(JsonValue::Kind kind) {
    open_.push_back({.kind = kind, .line = *line_});
    return true;
  }

  bool close() {
    JsonValue done = std::move(open_.back());
    open_.pop_back();
    return insert(std::move(done));
  }

  bool add(JsonValue value) {
    value.line = *line_;
    return insert(std::move(value));
  }

  bool insert(JsonValue value) {
    if (open_.empty()) {
      tree_ = std::move(value);
    } else if (open_.back().kind == JsonValue::Kind::List) {
      open_.back().items.push_back(std::move(value));
    } else {
      open_.back().members.back().value = std::move(value);
    }
    return true;
  }

  const std::uint32_t* line_;
  std::vector<JsonValue> open_;  ///< from the outermost to the innermost
  JsonValue tree_;
};

std::string joined(const JsonValue& value) {
  std::string text;
  for (const JsonValue& item : value.items) {
    text += (text.empty() ? "" : ", ") + shown(item);
  }
  return text;
}

}  // namespace

const JsonMember* JsonValue::find(std::string_view key) const {
  const auto place = std::ranges::find(members, key, &JsonMember::key);
  return place == members.end() ? nullptr : &*place;
}

std::expected<JsonValue, json::Error> parse_json(std::string_view text) {
  if (auto read = json::read(text, {.members = kJsonMembersMax}); !read) {
    return std::unexpected(std::move(read.error()));
  }
  std::uint32_t line = 1;
  TreeBuilder builder{&line};
  const json::LineIterator begin{std::to_address(text.begin()), &line};
  const json::LineIterator end{std::to_address(text.end()), &line};
  (void)Json::sax_parse(begin, end, &builder);
  return std::move(builder.tree());
}

std::string shown(const JsonValue& value) {
  constexpr std::size_t kShownMax = 40;
  std::string text = value.text;
  switch (value.kind) {
    case JsonValue::Kind::Null:
      return "null";
    case JsonValue::Kind::List:
      text = "[" + joined(value) + "]";
      break;
    case JsonValue::Kind::Object:
      return "{…}";
    case JsonValue::Kind::Text:
      text = "\"" + value.text + "\"";
      break;
    case JsonValue::Kind::Boolean:
    case JsonValue::Kind::Whole:
    case JsonValue::Kind::Decimal:
      break;
  }
  return text.size() <= kShownMax ? text : text.substr(0, kShownMax) + "…";
}

}  // namespace tickbox::scenario
