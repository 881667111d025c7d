#include "os/process.h"

#include "os/system_error.h"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <sys/resource.h>
#include <unistd.h>

namespace tickbox::os {
namespace {

std::uint64_t microseconds(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 +
         static_cast<std::uint64_t>(time.tv_usec);
}

/// The second number of /proc/self/statm counts resident pages.
std::uint64_t resident_bytes() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{std::fopen("/proc/self/statm", "re"),
                                                             &std::fclose};
  unsigned long long size = 0;
  unsigned long long resident = 0;
  if (file == nullptr || std::fscanf(file.get(), "%llu %llu", &size, &resident) != 2) return 0;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

ProcessUse process_use() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {.cpu_microseconds = microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
          .resident_bytes = resident_bytes()};
}

std::expected<void, std::string> allow_open_files(std::size_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::unexpected{"cannot ask for the limit of open files: " + reason_of(errno)};
  }
  if (limit.rlim_cur >= count) return {};
  if (limit.rlim_max < count) {
    const std::string wanted = std::to_string(count);
    return std::unexpected{"this takes " + wanted + " open files, and the hard limit is " +
                           std::to_string(limit.rlim_max) + "; try fewer, or ulimit -Hn " + wanted};
  }
  limit.rlim_cur = count;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::unexpected{"cannot raise the limit of open files: " + reason_of(errno)};
  }
  return {};
}

}  // namespace tickbox::os
