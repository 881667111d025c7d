#include "client/scenario/json_document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::scenario {
namespace {

using nlohmann::json;

/// An iterator over the characters of a text that counts lines. Copies share the count, because the
/// parser copies the iterator.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* place, std::uint32_t* line) : place_(place), line_(line) {}

  reference operator*() const { return *place_; }

  CountingIterator& operator++() {
    if (*place_ == '\n') ++*line_;
    ++place_;
    return *this;
  }

  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.place_ == b.place_;
  }

  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return !(a == b); }

 private:
  const char* place_;
  std::uint32_t* line_;
};

/// A builder of the tree from the parser's events. The library prescribes the names of its
/// functions.
class TreeBuilder {
 public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  TreeBuilder(const std::uint32_t* line, std::size_t values_max)
      : line_(line), values_max_(values_max) {}

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
    JsonValue& object = open_.back();
    if (object.members.size() == kJsonMembersMax) {
      error_ = {*line_, "an object has more than " + std::to_string(kJsonMembersMax) +
                            " keys; remove some"};
      return false;
    }
    if (object.find(name) != nullptr) {
      error_ = {*line_, "key \"" + name + "\" is given twice; remove one"};
      return false;
    }
    object.members.push_back({.key = std::move(name), .line = *line_});
    return true;
  }

  // The library's message starts with its own name, a number and a column; they are cut off.
  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const json::exception& error) {
    const std::string_view message = error.what();
    const std::size_t colon = message.find(": ");
    const std::string_view reason =
        colon == std::string_view::npos ? message : message.substr(colon + 2);
    error_ = {*line_, "this is not JSON: " + std::string{reason}};
    return false;
  }

  JsonValue& tree() { return tree_; }

  [[nodiscard]] const JsonError& error() const { return error_; }

 private:
  bool open(JsonValue::Kind kind) {
    if (open_.size() == kJsonDepthMax) {
      error_ = {*line_, "lists and objects are nested too deeply"};
      return false;
    }
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
    if (values_ == values_max_) {
      error_ = {*line_, "the file has more than " + std::to_string(values_max_) +
                            " values; remove some bodies or keys"};
      return false;
    }
    ++values_;
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
  std::size_t values_max_;
  std::size_t values_ = 0;
  std::vector<JsonValue> open_;  ///< from the outermost to the innermost
  JsonValue tree_;
  JsonError error_;
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

std::expected<JsonValue, JsonError> parse_json(std::string_view text, std::size_t values_max) {
  std::uint32_t line = 1;
  TreeBuilder builder{&line, values_max};
  const CountingIterator begin{std::to_address(text.begin()), &line};
  const CountingIterator end{std::to_address(text.end()), &line};
  const bool done = json::sax_parse(begin, end, &builder);
  if (!done) return std::unexpected(builder.error());
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
