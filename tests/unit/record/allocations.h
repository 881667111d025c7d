#pragma once
// Counts what this program asks of the heap.

#include <cstdint>

namespace tickbox::test {

/// Calls of operator new so far.
[[nodiscard]] std::uint64_t allocations();

}  // namespace tickbox::test
