#pragma once
// Work that other threads hand to a thread which runs it between two of its turns.

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace tickbox::server {

class Mailbox {
 public:
  using Order = std::move_only_function<void()>;

  /// Adds an order behind those that wait. Thread: any.
  void post(Order order) {
    const std::scoped_lock lock{mutex_};
    waiting_.push_back(std::move(order));
    has_orders_.store(true, std::memory_order_release);
  }

  /// Runs the orders that wait, in their order. Thread: the one that they are for. Cost: one load
  /// while none waits.
  void run() {
    if (!has_orders_.load(std::memory_order_acquire)) return;
    {
      const std::scoped_lock lock{mutex_};
      running_.swap(waiting_);
      has_orders_.store(false, std::memory_order_relaxed);
    }
    for (Order& order : running_) {
      order();
    }
    running_.clear();
  }

 private:
  std::mutex mutex_;
  std::vector<Order> waiting_;  ///< guarded by the mutex
  std::vector<Order> running_;
  std::atomic<bool> has_orders_ = false;
};

}  // namespace tickbox::server
