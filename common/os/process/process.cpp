#include "os/process/process.h"

#include "os/process/system_error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <signal.h>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace tickbox::os {
namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file{path};
  return {std::istreambuf_iterator{file}, {}};
}

/// Returns the number of entries of /proc/self/fd, without the descriptor that lists them.
std::uint64_t open_files() {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator entry{"/proc/self/fd", error}, end;
       !error && entry != end; entry.increment(error)) {
    ++count;
  }
  return count > 0 ? count - 1 : 0;
}

/// Returns the start of the system plus the time from there to the start of this process. This time
/// is field 22 of /proc/self/stat in clock ticks, the 20th field after the name in brackets.
double started() {
  const std::string own = text_of("/proc/self/stat");
  std::istringstream fields{own.substr(std::min(own.rfind(')') + 1, own.size()))};
  std::string skipped;
  for (int i = 0; i < 19; ++i) {
    fields >> skipped;
  }
  double ticks = 0;
  fields >> ticks;
  const std::string system = text_of("/proc/stat");
  const std::size_t at = system.find("btime ");
  if (!fields || at == std::string::npos) return 0;
  return std::strtod(system.c_str() + at + 6, nullptr) +
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

ProcessUse process_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  // The first two numbers count pages: all pages, and resident pages.
  std::istringstream pages{text_of("/proc/self/statm")};
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  pages >> size >> resident;
  const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return {.cpu_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
          .resident_bytes = resident * page_bytes,
          .virtual_bytes = size * page_bytes,
          .open_files = open_files(),
          .open_files_max = files.rlim_cur,
          .started = started()};
}

bool is_container(const std::filesystem::path& root) {
  std::error_code ignored;
  if (std::filesystem::exists(root / ".dockerenv", ignored) ||
      std::filesystem::exists(root / "run/.containerenv", ignored)) {
    return true;
  }
  // With version 2 of cgroups a container sees its own group as "/". Every engine mounts
  // /etc/hosts.
  const std::string group = text_of(root / "proc/1/cgroup");
  constexpr std::array kGroups = {"docker", "kubepods", "containerd", "libpod"};
  return std::ranges::any_of(kGroups, [&](const char* word) { return group.contains(word); }) ||
         text_of(root / "proc/1/mountinfo").contains(" /etc/hosts ");
}

std::string host_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};  // ends with a zero even if the name was cut
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

std::expected<void, std::string> allow_open_files(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::unexpected{"cannot read the limit of open files: " + reason_of(errno)};
  }
  if (limit.rlim_cur >= count) return {};
  if (limit.rlim_max < count) {
    const std::string wanted = std::to_string(count);
    return std::unexpected{"this needs " + wanted + " open files, but the hard limit is " +
                           std::to_string(limit.rlim_max) + "; use fewer clients, or ulimit -Hn " +
                           wanted};
  }
  limit.rlim_cur = count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::unexpected{"cannot raise the limit of open files: " + reason_of(errno)};
  }
  return {};
}

/// Sets the signal mask before the thread starts and restores it after, because a thread inherits
/// the mask.
std::thread start_thread(const char* name, std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread{std::move(body)};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace tickbox::os
