#pragma once
// Counts what this program asks of the heap, for programs that list allocations.cpp among their
// sources.

#include <cstdint>

namespace tickbox::tests {

/// Calls of operator new so far.
[[nodiscard]] std::uint64_t allocations();

}  // namespace tickbox::tests
