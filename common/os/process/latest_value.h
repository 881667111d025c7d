#pragma once
// A value that one thread sets and other threads read; the thread that sets it never waits.

#include <mutex>

namespace tickbox::os {

/// The latest published value of a T. Thread: one publishes, any number read.
template <class T>
class LatestValue {
 public:
  LatestValue() = default;

  explicit LatestValue(const T& first) : value_{first} {}

  /// Replaces the value, unless a reader is copying it at the moment. Returns whether it was
  /// replaced; if not, the caller publishes a later value. Cost: one assignment, never a wait.
  bool publish(const T& value) {
    const std::unique_lock lock{mutex_, std::try_to_lock};
    if (!lock.owns_lock()) return false;
    value_ = value;
    return true;
  }

  /// Returns a copy of the last published value. May wait while another reader copies or the value
  /// is replaced.
  [[nodiscard]] T read() const {
    const std::scoped_lock lock{mutex_};
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace tickbox::os
