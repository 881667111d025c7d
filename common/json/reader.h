#pragma once
// The only reader of JSON that others wrote. It stops at the first value beyond a limit.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tickbox::json {

/// The limits of a document. A scalar takes 16 bytes of memory, but only two of a text.
struct Limits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t values = 5'000'000;  ///< lists and objects included
  std::size_t members = 1'024;     ///< of one object; Kubernetes sets the most, as annotations
  std::size_t depth = 32;          ///< of nested lists and objects; the file of a desync needs six
};

/// A document, or a value in it.
using Value = nlohmann::json;

struct Error {
  std::uint32_t line = 0;  ///< from 1
  std::string message{};   ///< "this is not JSON: …", or the limit, in one line
};

/// Reads a text. Fails: if it is no JSON, is beyond a limit, or has an object with a key twice.
[[nodiscard]] std::expected<Value, Error> read(std::string_view text, const Limits& limits = {});

/// Returns the same; null if the text is refused. For text of which only one form has a meaning.
[[nodiscard]] Value read_or_null(std::string_view text);

}  // namespace tickbox::json
