#pragma once
// How much memory this process holds, and how large a test is in debug builds and under sanitizers.

#include <cstdint>
#include <fstream>
#include <unistd.h>

namespace tickbox::tests {

#ifdef NDEBUG  // sanitizer builds have assertions
inline constexpr bool kFullSize = true;
#else
inline constexpr bool kFullSize = false;
#endif

/// Returns `full` in a release build, `small` in a debug build and under sanitizers.
[[nodiscard]] constexpr std::uint32_t sized(std::uint32_t full, std::uint32_t small) {
  return kFullSize ? full : small;
}

/// Memory of this process that is in use.
[[nodiscard]] inline std::int64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace tickbox::tests
