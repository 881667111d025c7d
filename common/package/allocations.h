#pragma once
// Counts the heap allocations of a program.

#include <cstdint>

namespace tickbox::package {

/// Returns the calls of operator new in this thread so far.
[[nodiscard]] std::uint64_t allocations();

}  // namespace tickbox::package
