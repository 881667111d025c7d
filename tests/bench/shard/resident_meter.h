#pragma once
// The memory that one of several threads makes resident, while the others wait.

#include <cstdint>

namespace tickbox::bench {

class ResidentMeter {
 public:
  ResidentMeter();
  ResidentMeter(const ResidentMeter&) = delete;
  ResidentMeter& operator=(const ResidentMeter&) = delete;
  ~ResidentMeter();

  /// Adds what the process's resident memory grows by during `work()`.
  template <class Work>
  void during(Work work) {
    const std::int64_t before = resident_bytes();
    work();
    bytes_ += resident_bytes() - before;
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }

 private:
  /// Cost: a system call.
  [[nodiscard]] std::int64_t resident_bytes() const;

  int statm_;  ///< descriptor; negative: /proc is not mounted
  std::int64_t bytes_ = 0;
};

}  // namespace tickbox::bench
