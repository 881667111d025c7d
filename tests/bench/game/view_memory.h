#pragma once
// The memory that a client takes, at both ends, by the size of its views.

#include <cstdint>
#include <string_view>

namespace tickbox::bench {

/// Bytes that one more client adds, everything included.
struct ViewMemory {
  double members = 0;  ///< of a view, on average
  double server = 0;   ///< beside what the server reserves for each seat
  double client = 0;   ///< of a whole client
  std::uint64_t mismatches = 0;
};

/// Sizes of views.
enum class Views : std::uint8_t {
  Small,  ///< some 64 members
  Large,  ///< 1,024 members
};

/// Measures a match of 16 walkers among pellets at rest.
[[nodiscard]] ViewMemory measure_memory(Views views);

}  // namespace tickbox::bench
