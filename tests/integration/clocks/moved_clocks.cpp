#include "tests/integration/clocks/moved_clocks.h"

#include "core/assert.h"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace tickbox::integration {
namespace {

/// The clock runs on for this time before it stops. If it stopped at the value just read, another
/// reader could see it go back.
constexpr Duration kBeforeItStands = std::chrono::milliseconds{20};

std::int64_t machine_now() {
  return Duration{std::chrono::steady_clock::now().time_since_epoch()}.count();
}

void* map_new_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, sizeof(MovedTime)) != 0) {
    throw std::system_error{errno, std::generic_category(), path};
  }
  void* const page = mmap(nullptr, sizeof(MovedTime), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) throw std::system_error{errno, std::generic_category(), path};
  return page;
}

}  // namespace

MovedClocks::MovedClocks(std::string file)
    : file_{std::move(file)}, time_{new(map_new_file(file_)) MovedTime} {}

MovedClocks::~MovedClocks() {
  munmap(time_, sizeof(MovedTime));
}

std::vector<std::string> MovedClocks::environment() const {
  return {"LD_PRELOAD=" TICKBOX_MOVED_CLOCKS, std::string{kMovedTimeVariable} + "=" + file_};
}

void MovedClocks::put_calendar(Duration ahead) {
  time_->calendar = ahead.count();
}

void MovedClocks::leap(Duration ahead) {
  TICKBOX_ASSERT(ahead >= Duration::zero());
  time_->steady += ahead.count();
}

void MovedClocks::stop_steady() {
  time_->steady_stops_at = machine_now() + time_->steady + kBeforeItStands.count();
}

void MovedClocks::go_on() {
  TICKBOX_ASSERT(time_->steady_stops_at != MovedTime::kNever);
  // The clock stands until the second of these lines.
  time_->steady = time_->steady_stops_at - machine_now();
  time_->steady_stops_at = MovedTime::kNever;
}

}  // namespace tickbox::integration
