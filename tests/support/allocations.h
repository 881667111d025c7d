#pragma once
// Counts the heap allocations of this program. A program lists allocations.cpp among its sources.

#include <cstdint>

namespace tickbox::tests {

/// Calls of operator new so far.
[[nodiscard]] std::uint64_t allocations();

/// The bytes of all live blocks of operator new, as the heap rounds them. Blocks that were
/// allocated under an OwnBooks do not count.
[[nodiscard]] std::uint64_t live_bytes();

/// While one exists, the allocations of its thread belong to the test and not to live_bytes().
class OwnBooks {
 public:
  OwnBooks();
  ~OwnBooks();
  OwnBooks(const OwnBooks&) = delete;
  OwnBooks& operator=(const OwnBooks&) = delete;
};

}  // namespace tickbox::tests
