#pragma once
// A call in a thread of its own, for what may wait without end: a read of a FIFO or of a dead
// mount, a write to a pipe that nobody reads, the close of a file whose disk hangs. If the machine
// has no further thread, the caller makes the call itself.

#include "os/process/process.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace tickbox::server {

/// The latest call that returns a `T`. Thread: one, apart from the calls.
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

}  // namespace tickbox::server
