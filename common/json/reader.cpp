#include "json/reader.h"

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

/// What ends the parser at a limit.
struct Refused {
  std::string why;
};

/// Judges what the parser finds.
class Judge {
 public:
  explicit Judge(const Limits& limits) : limits_(limits) {}

  void receive(Value::parse_event_t event, const Value& found) {
    using Event = Value::parse_event_t;
    if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
    } else if (event == Event::key) {
      receive_key(found.get_ref<const std::string&>());
    } else if (++values_ > limits_.values) {
      throw Refused{"it has more than " + std::to_string(limits_.values) + " values; remove some"};
    } else if (event != Event::value) {
      if (open_.size() == limits_.depth) throw Refused{"lists and objects are nested too deeply"};
      open_.emplace_back();
    }
  }

 private:
  void receive_key(const std::string& name) {
    std::set<std::string>& keys = open_.back();
    if (keys.size() == limits_.members) {
      throw Refused{"an object has more than " + std::to_string(limits_.members) +
                    " keys; remove some"};
    }
    if (keys.insert(name).second) return;
    throw Refused{"key \"" + name.substr(0, kQuoted) + "\" is given twice; remove one"};
  }

  const Limits& limits_;
  std::size_t values_ = 0;
  std::vector<std::set<std::string>> open_;  ///< the keys of each; from the outermost
};

/// Returns the library's message without its own name, a number and a column.
std::string reason_in(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return "this is not JSON: " + std::string{message.substr(0, kQuoted)};
}

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
  try {
    return Value::parse(begin, end,
                        [&](int /*depth*/, Value::parse_event_t event, const Value& found) {
                          judge.receive(event, found);
                          return true;
                        });
  } catch (Refused& limit) {
    return refused(std::move(limit.why));
  } catch (const Value::exception& error) {
    return refused(reason_in(error.what()));
  }
}

Value read_or_null(std::string_view text) {
  return read(text).value_or(nullptr);
}

}  // namespace tickbox::json
