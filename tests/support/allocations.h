#pragma once
// Counts what this program asks of the heap, for programs that list allocations.cpp among their
// sources.

#include <cstdint>

namespace tickbox::tests {

/// Calls of operator new so far.
[[nodiscard]] std::uint64_t allocations();

/// Bytes that operator new has given out and that were not given back, as the heap rounds them.
/// Without those of OwnBooks.
[[nodiscard]] std::uint64_t live_bytes();

/// As long as one lives, what its thread asks for is for the test itself, and in no live_bytes().
class OwnBooks {
 public:
  OwnBooks();
  ~OwnBooks();
  OwnBooks(const OwnBooks&) = delete;
  OwnBooks& operator=(const OwnBooks&) = delete;
};

}  // namespace tickbox::tests
