#pragma once
// A read of files in a thread of its own, for files that are read again while the server runs.

#include "os/process/process.h"

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

namespace tickbox::server {

/// The latest read of a `T`. A FIFO or a dead mount may block its thread without end.
/// Thread: one, apart from the reads.
template <class T>
class BackgroundRead {
 public:
  /// Begins `read`, which returns a T and uses only what it owns. A read that is still under way is
  /// given up. `thread`: the name of its thread.
  template <class Read>
  void begin(const char* thread, Read read) {
    under_way_ = std::make_shared<State>();
    os::start_thread(thread, [state = under_way_, read = std::move(read)] {
      T result = read();
      state->result = std::move(result);
      state->has_ended.store(true, std::memory_order_release);
    }).detach();
  }

  /// Returns whether a read was begun whose result was not taken.
  [[nodiscard]] bool is_under_way() const { return under_way_ != nullptr; }

  /// Returns the result of a read that has ended, once; else nothing. Cost: one load while nothing
  /// has ended.
  [[nodiscard]] std::optional<T> take() {
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
