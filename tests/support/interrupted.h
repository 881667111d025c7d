#pragma once
// Work that is interrupted as soon as it can be.

#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace tickbox::test {

/// Runs `work` in this thread, and sends the process a SIGINT once it has a handler for it. It is
/// for the caller to see whether the work was over by then.
template <class Work>
auto interrupted(const Work& work) {
  // The one that arrives too late must not end the test.
  const auto deaf = [](int) {};
  void (*const before)(int) = std::signal(SIGINT, deaf);
  std::atomic<bool> over{false};
  std::thread sender{[&] {
    struct sigaction now{};
    do {
      sigaction(SIGINT, nullptr, &now);
    } while (!over && now.sa_handler == static_cast<void (*)(int)>(deaf));
    kill(getpid(), SIGINT);
  }};
  auto result = work();
  over = true;
  sender.join();
  std::signal(SIGINT, before);
  return result;
}

}  // namespace tickbox::test
