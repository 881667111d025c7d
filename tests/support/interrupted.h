#pragma once
// Interrupts work, as soon as possible or a little later.

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace tickbox::test {

/// Runs `work` in this thread, and sends the process a SIGINT `later` after `work` has installed a
/// handler. The caller checks whether the work was over by then.
template <class Work>
auto interrupted(const Work& work, std::chrono::microseconds later = {}) {
  // A SIGINT that arrives too late must not end the test.
  const auto deaf = [](int) {};
  void (*const before)(int) = std::signal(SIGINT, deaf);
  std::atomic<bool> over{false};
  std::thread sender{[&] {
    struct sigaction now{};
    do {
      sigaction(SIGINT, nullptr, &now);
    } while (!over && now.sa_handler == static_cast<void (*)(int)>(deaf));
    std::this_thread::sleep_for(later);
    kill(getpid(), SIGINT);
  }};
  auto result = work();
  over = true;
  sender.join();
  std::signal(SIGINT, before);
  return result;
}

}  // namespace tickbox::test
