#pragma once
// Two threads that never run at once. One may be timed while the other does not disturb it, and
// what both do is the same in each run, whatever else the machine does.

#include <exception>
#include <functional>
#include <semaphore>
#include <thread>

namespace tickbox::bench {

class Turns {
 public:
  /// Starts the other thread, which runs `turn` once for each pass().
  explicit Turns(std::function<void()> turn);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns();

  /// Lets the other thread run one turn, and waits for its end. What either thread wrote before is
  /// visible to the other then. Throws what the turn throws.
  void pass();

 private:
  std::binary_semaphore begin_{0};
  std::binary_semaphore end_{0};
  bool is_over_ = false;
  std::exception_ptr thrown_;
  std::thread other_;
};

}  // namespace tickbox::bench
