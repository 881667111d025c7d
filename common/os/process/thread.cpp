// A thread is born with the signal mask of its parent, so the mask is set before and restored
// after.

#include "os/process/thread.h"

#include <pthread.h>
#include <signal.h>
#include <utility>

namespace tickbox::os {

std::thread start_thread(const char* name, std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread{std::move(body)};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

}  // namespace tickbox::os
