// The disk of faulty-server: this fdatasync stands in front of the C library's.
//   FAULT_SYNC_HELD=1  never returns

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int fdatasync(int file) {
  while (std::getenv("FAULT_SYNC_HELD") != nullptr) {
    pause();
  }
  return static_cast<int>(syscall(SYS_fdatasync, file));
}
