#pragma once
// An event of the log: a name and typed fields. A log prints it as text or as JSON; nothing reads
// the text back.

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tickbox {

/// A number that is printed with this many digits after the point.
struct Decimal {
  double value = 0;
  int digits = 3;
};

/// A value that is JSON already, such as a game's result. It is printed as it is.
struct JsonText {
  std::string text;
};

using LogValue = std::variant<bool, std::int64_t, std::uint64_t, Decimal, std::string, JsonText>;

/// A field of an event. The key must outlive the field: it is a literal.
struct LogField {
  LogField(std::string_view name, bool is) : key(name), value(is) {}

  LogField(std::string_view name, std::signed_integral auto number)
      : key(name), value(std::int64_t{number}) {}

  template <std::unsigned_integral Number>
    requires(!std::same_as<Number, bool>)
  LogField(std::string_view name, Number number) : key(name), value(std::uint64_t{number}) {}

  LogField(std::string_view name, Decimal number) : key(name), value(number) {}

  LogField(std::string_view name, std::string text) : key(name), value(std::move(text)) {}

  LogField(std::string_view name, std::string_view text) : key(name), value(std::string{text}) {}

  LogField(std::string_view name, const char* text) : key(name), value(std::string{text}) {}

  LogField(std::string_view name, JsonText json) : key(name), value(std::move(json)) {}

  std::string_view key;
  LogValue value;
};

using LogFields = std::vector<LogField>;

enum class Severity : std::uint8_t {
  Debug,
  Info,
  Warning,
  Error,  ///< someone must act
};

/// An event: `{"session_closed", {{"seat", 3}, {"reason", "timed_out"}}}`. The name is a literal.
struct LogEvent {
  std::string_view name;
  LogFields fields{};
};

/// Returns the fields as text: `seat=3 reason=timed_out text="two words"`. A text with blanks, or
/// one that is empty, has double quotes around it, with \" and \\ inside. Control bytes are
/// escaped.
[[nodiscard]] std::string fields_as_text(const LogFields& fields);

/// Returns the event as one line: its name, then its fields as text.
[[nodiscard]] std::string as_text(const LogEvent& event);

}  // namespace tickbox
