#include "json/reader.h"

#include "core/text.h"

#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

namespace tickbox::json {
namespace {

/// The most bytes of a document that an error quotes.
constexpr std::size_t kQuoted = 200;

/// An iterator over the characters of a text that counts lines. Copies share the count, because the
/// parser copies the iterator.
class LineIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineIterator(const char* place, std::uint32_t* line) : place_(place), line_(line) {}

  reference operator*() const { return *place_; }

  LineIterator& operator++() {
    if (*place_ == '\n') ++*line_;
    ++place_;
    return *this;
  }

  friend bool operator==(const LineIterator& a, const LineIterator& b) {
    return a.place_ == b.place_;
  }

  friend bool operator!=(const LineIterator& a, const LineIterator& b) { return !(a == b); }

 private:
  const char* place_;
  std::uint32_t* line_;
};

/// Returns the library's message without its own name, a number and a column.
std::string reason_in(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return "this is not JSON: " + std::string{message.substr(0, kQuoted)};
}

/// Follows the parser, and stops it at what is refused. It makes no document: the library's own
/// callback for that looks through a whole list at the end of each object in it.
class Judge final : public nlohmann::json_sax<Value> {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  /// Returns why the document is refused; empty if it is not.
  [[nodiscard]] const std::string& why() const { return why_; }

  bool null() override { return count_value(); }

  bool boolean(bool /*value*/) override { return count_value(); }

  bool number_integer(number_integer_t /*value*/) override { return count_value(); }

  bool number_unsigned(number_unsigned_t /*value*/) override { return count_value(); }

  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override {
    return count_value();
  }

  bool string(string_t& /*value*/) override { return count_value(); }

  bool binary(binary_t& /*value*/) override { return count_value(); }

  bool start_object(std::size_t /*members*/) override { return open(); }

  bool key(string_t& name) override {
    std::set<std::string>& keys = open_.back();
    if (keys.size() == limits_.members) {
      return refuse("an object has more than " + std::to_string(limits_.members) +
                    " keys; remove some");
    }
    if (keys.insert(name).second) return true;
    return refuse("key \"" + printable(name.substr(0, kQuoted)) + "\" is given twice; remove one");
  }

  bool end_object() override { return close(); }

  bool start_array(std::size_t /*elements*/) override { return open(); }

  bool end_array() override { return close(); }

  bool parse_error(std::size_t /*place*/, const std::string& /*token*/,
                   const Value::exception& error) override {
    return refuse(reason_in(error.what()));
  }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }

  bool count_value() {
    if (++values_ <= limits_.values) return true;
    return refuse("it has more than " + std::to_string(limits_.values) + " values; remove some");
  }

  bool open() {
    if (!count_value()) return false;
    if (open_.size() == limits_.depth) return refuse("lists and objects are nested too deeply");
    open_.emplace_back();
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const Limits& limits_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> open_;  ///< the keys of each; from the outermost
  std::string why_;
};

}  // namespace

std::expected<Value, Error> read(std::string_view text, const Limits& limits) {
  std::uint32_t line = 1;
  const auto refused = [&line](std::string why) {
    return std::unexpected{Error{.line = line, .message = std::move(why)}};
  };
  if (text.size() > limits.bytes) {
    return refused("it is larger than " + std::to_string(limits.bytes) + " bytes");
  }
  Judge judge{limits};
  const LineIterator begin{std::to_address(text.begin()), &line};
  const LineIterator end{std::to_address(text.end()), &line};
  if (!Value::sax_parse(begin, end, &judge)) return refused(judge.why());
  return Value::parse(text);
}

Value read_or_null(std::string_view text) {
  return read(text).value_or(nullptr);
}

}  // namespace tickbox::json
