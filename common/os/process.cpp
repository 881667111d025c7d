#include "os/process.h"

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

}  // namespace tickbox::os
