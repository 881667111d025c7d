// The disk of faulty-server: these stand in front of the C library's.
//   FAULT_SYNC_HELD=1  they never return

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

void wait_if_held() {
  while (std::getenv("FAULT_SYNC_HELD") != nullptr) {
    pause();
  }
}

}  // namespace

extern "C" int fdatasync(int file) {
  wait_if_held();
  return static_cast<int>(syscall(SYS_fdatasync, file));
}

extern "C" int fsync(int file) {
  wait_if_held();
  return static_cast<int>(syscall(SYS_fsync, file));
}
