// The disk of planted-server: this fdatasync stands in front of the C library's.
//   PLANTED_SYNC_HELD=1  never returns

#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" int fdatasync(int file) {
  while (std::getenv("PLANTED_SYNC_HELD") != nullptr) {
    pause();
  }
  return static_cast<int>(syscall(SYS_fdatasync, file));
}
