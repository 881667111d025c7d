#pragma once
// How many matches the laws are checked on, at each tick rate.

#include <cstdint>
#include <cstdlib>

namespace tickbox::tests {

/// Returns TICKBOX_LAW_MATCHES, or `otherwise`.
inline std::uint32_t law_matches(std::uint32_t otherwise) {
  const char* text = std::getenv("TICKBOX_LAW_MATCHES");
  return text != nullptr ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

}  // namespace tickbox::tests
