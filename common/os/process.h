#pragma once
// What this process uses of its machine.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>

namespace tickbox::os {

struct ProcessUse {
  std::uint64_t cpu_microseconds = 0;  ///< user and system, of all threads
  std::uint64_t resident_bytes = 0;    ///< 0 where /proc is not mounted
};

/// Thread: any.  Cost: two system calls and a read of a small file.
[[nodiscard]] ProcessUse process_use();

/// Lets this process have `count` files and sockets open, where the hard limit allows it.
/// Fails: with one line that says what to try.
[[nodiscard]] std::expected<void, std::string> allow_open_files(std::size_t count);

}  // namespace tickbox::os
