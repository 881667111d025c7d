#pragma once
// Work for other threads: calls in threads of their own, and what threads hand to another one,
// which takes it between two of its turns.

#include "os/process/process.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace tickbox::server {

/// A call in a thread of its own, for what may wait without end: a read of a FIFO or of a dead
/// mount, a write to a pipe that nobody reads, the close of a file whose disk hangs. If the machine
/// has no further thread, the caller makes the call itself. The object has the latest call that
/// returns a `T`. Thread: one, apart from the calls.
template <class T>
class BackgroundCall {
 public:
  /// Begins `call`, which returns a T. It uses what it owns, or what lives until its result is
  /// taken or the process ends. The result of a call that is still under way is given up. `thread`:
  /// the name of its thread.
  template <class Call>
  void begin(const char* thread, Call call) {
    under_way_ = std::make_shared<State>();
    const auto make = [state = under_way_, call = std::move(call)] {
      T result = call();
      state->result = std::move(result);
      state->has_ended.store(true, std::memory_order_release);
    };
    if (auto started = os::start_thread(thread, make)) {
      started->detach();
    } else {
      make();
    }
  }

  /// Returns whether a call was begun whose result was not taken.
  [[nodiscard]] bool is_under_way() const { return under_way_ != nullptr; }

  /// Returns the result of a call that has ended, once; else nothing. Cost: one load while nothing
  /// has ended.
  [[nodiscard]] std::optional<T> poll() {
    if (under_way_ == nullptr || !under_way_->has_ended.load(std::memory_order_acquire)) {
      return std::nullopt;
    }
    const std::shared_ptr<State> ended = std::exchange(under_way_, nullptr);
    return std::move(ended->result);
  }

 private:
  /// The thread writes `result`, then sets has_ended.
  struct State {
    std::optional<T> result;
    std::atomic<bool> has_ended = false;
  };

  std::shared_ptr<State> under_way_;  ///< shared with its thread; nullptr: none is under way
};

/// Values that threads hand to another one. Thread: any push, one pops.
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
