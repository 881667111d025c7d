#pragma once
// What this process uses of its machine, and its threads.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

namespace tickbox::os {

struct ProcessUse {
  std::uint64_t cpu_microseconds = 0;  ///< user and system, of all threads
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t open_files_max = 0;  ///< the soft limit
  double started = 0;                ///< seconds since 1970, by the system's clock
};

/// What is read from /proc is 0 where that is not mounted.
/// Thread: any.  Cost: some system calls, and reads of small files and of one directory.
[[nodiscard]] ProcessUse process_use();

/// Whether a system is a container of Docker, Podman, containerd or Kubernetes, by the files at
/// `root`: /.dockerenv, /run/.containerenv, the name of /proc/1/cgroup, or a mounted /etc/hosts.
[[nodiscard]] bool is_container(const std::filesystem::path& root = "/");

/// Lets this process have `count` files and sockets open, where the hard limit allows it.
/// Fails: with one line that says what to try.
[[nodiscard]] std::expected<void, std::string> allow_open_files(std::size_t count);

// Threads beside the tick.

/// Runs `body` on a new thread that takes no signals: they stay with the loop that waits for them.
/// `name` shows in ps and top, up to 15 characters.
[[nodiscard]] std::thread start_thread(const char* name, std::function<void()> body);

}  // namespace tickbox::os
