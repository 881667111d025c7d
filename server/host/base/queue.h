#pragma once
// What threads hand to another one, which takes it between two of its turns.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace tickbox::server {

/// Thread: any push, one pops.
template <class T>
class Queue {
 public:
  /// `most`: the values that may wait.
  explicit Queue(std::size_t most = SIZE_MAX) : most_(most) {}

  /// Adds a value behind those that wait. Fails: false, while `most` others wait.
  [[nodiscard]] bool push(T value) {
    const std::scoped_lock lock{mutex_};
    if (waiting_.size() == most_) return false;
    waiting_.push_back(std::move(value));
    has_values_.store(true, std::memory_order_release);
    return true;
  }

  /// Returns the value that waits for the longest time, once. Cost: one load while none waits.
  [[nodiscard]] std::optional<T> pop() {
    if (!has_values_.load(std::memory_order_acquire)) return std::nullopt;
    const std::scoped_lock lock{mutex_};
    std::optional<T> value{std::move(waiting_.front())};
    waiting_.pop_front();
    has_values_.store(!waiting_.empty(), std::memory_order_relaxed);
    return value;
  }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::deque<T> waiting_;  ///< guarded by the mutex
  std::atomic<bool> has_values_ = false;
};

/// Work for another thread.
class Mailbox {
 public:
  using Order = std::move_only_function<void()>;

  /// Adds an order behind those that wait. Thread: any.
  void post(Order order) { (void)orders_.push(std::move(order)); }

  /// Runs the orders that wait, in their order. Thread: the one that they are for.
  void run() {
    while (auto order = orders_.pop()) {
      (*order)();
    }
  }

 private:
  Queue<Order> orders_;
};

}  // namespace tickbox::server
