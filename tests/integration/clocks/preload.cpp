// This library is preloaded into a program. It replaces the calls that read a clock and the calls
// that sleep until a moment. Calls that sleep for a span are left alone, as clocks that leap do not
// change a span.
//
// A sleeper looks at its clock every few milliseconds, so that it wakes soon after the clock has
// leapt beyond its moment, and goes on sleeping while the clock stands.

#include "tests/integration/clocks/moved_time.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using tickbox::integration::kMovedTimeVariable;
using tickbox::integration::MovedTime;

using ReadClock = int (*)(clockid_t, timespec*);
using Sleep = int (*)(clockid_t, int, const timespec*, timespec*);
using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kLookAgain = 2'000'000;

[[noreturn]] void refuse(const char* what) {
  std::fprintf(stderr, "moved clocks: %s\n", what);
  constexpr int kCannotRun = 127;
  _exit(kCannotRun);
}

template <class Function>
Function next_of(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) refuse(name);
  return reinterpret_cast<Function>(found);
}

/// Never unmapped: threads read clocks until the process is gone.
MovedTime& map_moved_time() {
  // Before the program's own threads.
  const char* const path = std::getenv(kMovedTimeVariable);
  if (path == nullptr) refuse("no file is named");
  const int file = open(path, O_RDWR | O_CLOEXEC);
  void* const page =
      file < 0 ? MAP_FAILED
               : mmap(nullptr, sizeof(MovedTime), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) refuse(path);
  close(file);
  MovedTime& time = *static_cast<MovedTime*>(page);
  ++time.processes;
  return time;
}

const MovedTime& moved_time() {
  static const MovedTime& time = map_moved_time();
  return time;
}

bool is_calendar(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

bool is_steady(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE ||
         clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_BOOTTIME;
}

std::int64_t nanoseconds_of(const timespec& time) {
  return std::int64_t{time.tv_sec} * kSecond + time.tv_nsec;
}

timespec timespec_of(std::int64_t nanoseconds) {
  return {.tv_sec = nanoseconds / kSecond, .tv_nsec = nanoseconds % kSecond};
}

int read_machine(clockid_t clock, timespec* time) {
  static const auto kNext = next_of<ReadClock>("clock_gettime");
  return kNext(clock, time);
}

/// What the process is to see of a clock. Requires: a calendar or a steady one.
std::int64_t shown(clockid_t clock) {
  const MovedTime& moved = moved_time();
  timespec now{};
  (void)read_machine(clock, &now);
  if (is_calendar(clock)) return nanoseconds_of(now) + moved.calendar;
  return std::min<std::int64_t>(nanoseconds_of(now) + moved.steady, moved.steady_stops_at);
}

/// How long to sleep before the next look at the clock; nothing where the moment has come.
timespec until_next_look(clockid_t clock, const timespec& moment) {
  const std::int64_t left = nanoseconds_of(moment) - shown(clock);
  return timespec_of(std::clamp(left, std::int64_t{0}, kLookAgain));
}

}  // namespace

extern "C" {

// The system's headers give their parameters reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

[[gnu::visibility("default")]] int clock_gettime(clockid_t clock, timespec* time) noexcept {
  if (!is_calendar(clock) && !is_steady(clock)) return read_machine(clock, time);
  *time = timespec_of(shown(clock));
  return 0;
}

[[gnu::visibility("default")]] int clock_nanosleep(clockid_t clock, int flags,
                                                   const timespec* request, timespec* remaining) {
  static const auto kNext = next_of<Sleep>("clock_nanosleep");
  if (flags != TIMER_ABSTIME || (!is_calendar(clock) && !is_steady(clock))) {
    return kNext(clock, flags, request, remaining);
  }
  while (true) {
    const timespec span = until_next_look(clock, *request);
    if (nanoseconds_of(span) == 0) return 0;
    if (const int failed = kNext(CLOCK_MONOTONIC, 0, &span, nullptr); failed != 0) return failed;
  }
}

/// Each look at the clock is a wakeup without a reason, as any wait may have: the caller looks
/// whether what it waits for has come, and waits again.
[[gnu::visibility("default")]] int pthread_cond_clockwait(pthread_cond_t* condition,
                                                          pthread_mutex_t* mutex, clockid_t clock,
                                                          const timespec* moment) {
  static const auto kNext = next_of<Wait>("pthread_cond_clockwait");
  const std::int64_t span = nanoseconds_of(until_next_look(clock, *moment));
  if (span == 0) return ETIMEDOUT;
  timespec now{};
  (void)read_machine(CLOCK_MONOTONIC, &now);
  const timespec look = timespec_of(nanoseconds_of(now) + span);
  const int ended = kNext(condition, mutex, CLOCK_MONOTONIC, &look);
  return ended == ETIMEDOUT ? 0 : ended;
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)

}  // extern "C"
