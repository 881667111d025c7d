#pragma once
// Interrupts work as soon as possible.

#include <atomic>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace tickbox::test {

/// Runs `work` in this thread, and sends the process a SIGINT once `work` has installed a handler.
/// The caller checks whether the work was over by then.
template <class Work>
auto interrupted(const Work& work) {
  // A SIGINT that arrives too late must not end the test.
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
