#pragma once
// What the tests of the laws have in common: how many matches, and whether allocations are counted.

#include "tests/support/allocations.h"
#include "tests/support/sanitizers.h"

#include <cstdint>
#include <cstdlib>
#include <functional>

namespace tickbox::tests {

/// Returns TICKBOX_LAW_MATCHES, or `otherwise`, a third of it under a sanitizer: matches at each
/// tick rate.
inline std::uint32_t law_matches(std::uint32_t otherwise) {
  const char* text = std::getenv("TICKBOX_LAW_MATCHES");
  if (text != nullptr) return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  return kHasSanitizer ? otherwise / 3 : otherwise;
}

/// Returns the counter of allocations for the law. With TICKBOX_AUDIT there is none: the checks
/// after each step allocate.
inline std::function<std::uint64_t()> law_allocations() {
#ifdef TICKBOX_AUDIT
  return {};
#else
  return allocations;
#endif
}

}  // namespace tickbox::tests
