#pragma once
// How the clocks of a process under test differ from those of the machine. It lies in a file that
// the test and the process both map, so that clocks move while the process runs.

#include <atomic>
#include <cstdint>
#include <limits>

namespace tickbox::integration {

/// The variable that names the file.
inline constexpr const char* kMovedTimeVariable = "MOVED_CLOCKS";

/// All in nanoseconds.
struct MovedTime {
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  std::atomic<std::int64_t> calendar{0};  ///< added to the realtime clock
  std::atomic<std::int64_t> steady{0};    ///< added to the monotonic ones
  /// What the monotonic clocks show at most: they run up to here, and stand.
  std::atomic<std::int64_t> steady_stops_at{kNever};
  std::atomic<std::uint32_t> processes{0};  ///< that have begun to use these clocks
};

static_assert(std::atomic<std::int64_t>::is_always_lock_free);
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

}  // namespace tickbox::integration
