#pragma once
// A value one thread sets now and then and others look at, where the one that sets must never wait.

#include <mutex>

namespace tickbox::os {

/// The latest copy of a T that was handed out.  Thread: one publishes, any number read.
template <class T>
class Published {
 public:
  Published() = default;

  explicit Published(const T& first) : value_{first} {}

  /// Replaces the value, or skips this one when a reader is copying just now: the next will come.
  /// Cost: one assignment, never a wait. Returns whether it was taken.
  bool publish(const T& value) {
    const std::unique_lock lock{mutex_, std::try_to_lock};
    if (!lock.owns_lock()) return false;
    value_ = value;
    return true;
  }

  /// A copy of the last value that was taken; a reader may wait for another's copy.
  [[nodiscard]] T read() const {
    const std::scoped_lock lock{mutex_};
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};
};

}  // namespace tickbox::os
