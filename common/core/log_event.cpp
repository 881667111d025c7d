#include "core/log_event.h"

#include "core/text.h"

#include <array>
#include <charconv>

namespace tickbox {
namespace {

/// The length of a usual line, for one allocation of memory.
constexpr std::size_t kLineBytes = 256;

std::string quoted_if_needed(std::string_view text) {
  std::string printed = printable(text);
  const bool is_plain =
      !text.empty() && printed == text && text.find_first_of(" \"\\=") == std::string_view::npos;
  if (is_plain) return printed;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return printable(quoted + '"');
}

std::string decimal_text(Decimal number) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number.value,
                                 std::chars_format::fixed, number.digits);
  return {text.data(), end.ptr};
}

struct ValueText {
  std::string operator()(bool is) const { return is ? "true" : "false"; }

  std::string operator()(std::integral auto number) const { return std::to_string(number); }

  std::string operator()(Decimal number) const { return decimal_text(number); }

  std::string operator()(const std::string& text) const { return quoted_if_needed(text); }

  std::string operator()(const JsonText& json) const { return printable(json.text); }
};

void append(const LogFields& fields, std::string& text) {
  for (const LogField& field : fields) {
    if (!text.empty()) text += ' ';
    text += field.key;
    text += '=';
    text += std::visit(ValueText{}, field.value);
  }
}

}  // namespace

std::string fields_as_text(const LogFields& fields) {
  std::string text;
  append(fields, text);
  return text;
}

std::string as_text(const LogEvent& event) {
  std::string text;
  text.reserve(kLineBytes);
  text += event.name;
  append(event.fields, text);
  return text;
}

}  // namespace tickbox
