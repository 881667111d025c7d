#pragma once
// What a recorder says of itself in memory that outlives it: a file that the recorder and its test
// map.

#include "core/clock.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <fcntl.h>
#include <new>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tickbox::crash {

/// Ticks whose moments are kept: more than a recorder lives to see.
inline constexpr std::uint32_t kTicksMax = std::uint32_t{1} << 20U;

struct Progress {
  /// The last tick handed to the writer of the recording.
  std::atomic<std::uint32_t> ticks;
  /// How long the file is at least: writes to the kernel that have returned.
  std::atomic<std::uint64_t> written;
  /// When each tick was handed over, in nanoseconds of the steady clock, which is the machine's.
  std::array<std::atomic<std::int64_t>, kTicksMax> handed;

  void note(std::uint32_t tick, Instant now) {
    handed[tick % kTicksMax].store(now.time_since_epoch().count(), std::memory_order_relaxed);
    ticks.store(tick, std::memory_order_release);
  }

  [[nodiscard]] Duration handed_at(std::uint32_t tick) const {
    return Duration{handed[tick % kTicksMax].load(std::memory_order_relaxed)};
  }
};

/// The page at `path`, zeros where it is new.
class SharedPage {
 public:
  explicit SharedPage(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0 || ::ftruncate(file, sizeof(Progress)) != 0) {
      throw std::runtime_error{"cannot make " + path};
    }
    void* const memory =
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (memory == MAP_FAILED) throw std::runtime_error{"cannot map " + path};
    page_ = static_cast<Progress*>(memory);
  }

  ~SharedPage() { ::munmap(page_, sizeof(Progress)); }

  SharedPage(const SharedPage&) = delete;
  SharedPage& operator=(const SharedPage&) = delete;

  [[nodiscard]] Progress& operator*() { return *page_; }

  [[nodiscard]] Progress* operator->() { return page_; }

 private:
  Progress* page_ = nullptr;
};

}  // namespace tickbox::crash
