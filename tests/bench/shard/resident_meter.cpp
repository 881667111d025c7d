#include "tests/bench/shard/resident_meter.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

namespace tickbox::bench {

ResidentMeter::ResidentMeter() : statm_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {}

ResidentMeter::~ResidentMeter() {
  if (statm_ >= 0) ::close(statm_);
}

std::int64_t ResidentMeter::resident_bytes() const {
  std::array<char, 128> text{};
  if (::pread(statm_, text.data(), text.size() - 1, 0) <= 0) return 0;
  char* end = nullptr;
  std::strtoll(text.data(), &end, 10);  // the virtual memory
  return std::strtoll(end, nullptr, 10) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace tickbox::bench
