#pragma once
// This process and its surroundings: the resources that it uses, its limit of open files and its
// threads; its host, whether that is a container, what another process is, and the service manager.

#include "core/clock.h"
#include "net/transport.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tickbox::os {

struct ProcessUse {
  std::uint64_t cpu_microseconds = 0;  ///< user and system, of all threads
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_files = 0;
  std::uint64_t open_files_max = 0;  ///< the soft limit
  double started = 0;                ///< seconds since 1970, by the system's clock
};

/// Returns the resources that this process uses. Values from /proc are 0 if it is not mounted.
/// Thread: any. Cost: some system calls, and reads of small files and of one directory.
[[nodiscard]] ProcessUse process_use();

/// Returns whether a system is a container of Docker, Podman, containerd or Kubernetes. The files
/// at `root` decide: /.dockerenv, /run/.containerenv, a group name in /proc/1/cgroup, or a mounted
/// /etc/hosts.
[[nodiscard]] bool is_container(const std::filesystem::path& root = "/");

/// Returns the addresses on which a process listens for TCP, as its files in /proc say. Returns
/// none if these cannot be read: they are for its own user alone.
[[nodiscard]] std::vector<net::Address> listening_addresses(int pid);

/// Returns whether the process runs the same program file as this one.
[[nodiscard]] bool runs_this_program(int pid);

/// Returns the words of this process's command line; none if /proc is not mounted.
[[nodiscard]] std::vector<std::string> command_line();

/// The machine on which this process runs. Empty or 0 is not known.
struct Machine {
  std::string host{};
  std::string system{};          ///< "Linux 6.1.0 x86_64"
  std::string processor{};       ///< the model of the first one
  std::uint64_t processors = 0;  ///< that this process may use
  std::uint64_t memory_bytes = 0;
};

[[nodiscard]] Machine this_machine();

/// Returns the name of this host; empty if it cannot be read.
[[nodiscard]] std::string host_name();

/// Raises the soft limit of open files and sockets to `count`, or as near as the hard limit allows.
/// Returns the soft limit, which may have been higher before.
std::uint64_t raise_open_files(std::uint64_t count);

/// Does the same for clients. Fails: with one line that says what to try, if the limit is lower.
[[nodiscard]] std::expected<void, std::string> allow_open_files(std::size_t count);

// Threads other than the tick's.

/// Limits the number of heaps from which threads allocate (glibc: eight for each processor). Each
/// keeps what it once used, so a program whose threads come and go would take more memory whenever
/// more of them run at once than ever before. Call before the first thread starts.
void limit_heaps(int most);

/// Runs `body` on a new thread that blocks all signals, so that the main thread takes them. `name`
/// appears in ps and top, up to 15 characters. Fails: with one line that says what to try, if the
/// machine has no further thread.
[[nodiscard]] std::expected<std::thread, std::string> start_thread(const char* name,
                                                                   std::function<void()> body);

/// A value that one thread sets and other threads read: the latest published value of a T. The
/// thread that sets it never waits. Thread: one publishes, any number read.
template <class T>
class LatestValue {
 public:
  LatestValue() = default;

  explicit LatestValue(const T& first) : value_{first} {}

  /// Replaces the value, unless a reader is copying it at the moment. Returns whether it was
  /// replaced; if not, the caller publishes a later value. Cost: one assignment, never a wait.
  bool publish(const T& value) {
    const std::unique_lock lock{mutex_, std::try_to_lock};
    if (!lock.owns_lock()) return false;
    value_ = value;
    return true;
  }

  /// Returns a copy of the last published value. May wait while another reader copies or the value
  /// is replaced.
  [[nodiscard]] T read() const {
    const std::scoped_lock lock{mutex_};
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

// The service manager that started this process, such as systemd.

/// Takes lines about the state of a service, each message as a datagram.
/// Source: sd_notify(3) and sd_watchdog_enabled(3). libsystemd cannot be linked static on Debian.
class ServiceManager {
 public:
  /// `socket`: the path of its socket, or @ and the name of an abstract one; empty: there is none.
  /// `watchdog`: it ends a service that does not say WATCHDOG=1 for this time; nothing: it waits.
  explicit ServiceManager(std::string socket, std::optional<Duration> watchdog = {})
      : socket_(std::move(socket)), watchdog_(watchdog) {}

  /// Returns the manager that the environment names: NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID.
  [[nodiscard]] static ServiceManager from_environment();

  /// Sends lines such as "READY=1\nSTATUS=all is well\n". Never waits. Does nothing without a
  /// manager. Fails: with one line, also if the manager has no place for the message now.
  [[nodiscard]] std::expected<void, std::string> notify(std::string_view lines) const;

  [[nodiscard]] bool exists() const { return !socket_.empty(); }

  [[nodiscard]] std::optional<Duration> watchdog() const { return watchdog_; }

 private:
  std::string socket_;
  std::optional<Duration> watchdog_;
};

}  // namespace tickbox::os
