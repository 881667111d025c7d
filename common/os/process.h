#pragma once
// What this process uses of its machine.

#include <cstdint>

namespace tickbox::os {

struct ProcessUse {
  std::uint64_t cpu_microseconds = 0;  ///< user and system, of all threads
  std::uint64_t resident_bytes = 0;    ///< 0 where /proc is not mounted
};

/// Thread: any.  Cost: two system calls and a read of a small file.
[[nodiscard]] ProcessUse process_use();

}  // namespace tickbox::os
