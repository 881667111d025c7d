#pragma once
// What the admin side has ordered, for the loop to do. Neither waits for the other: a drain is a
// flag, and kicks are a ring with one writer and one reader.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tickbox::server {

class AdminOrders {
 public:
  /// Kicks that may wait. The loop takes them at each drain of the socket.
  static constexpr std::size_t kKicksMax = 64;

  /// Orders the drain. Thread: the admin side's, as kick().
  void drain() { drain_.store(true, std::memory_order_relaxed); }

  /// Orders the kick of a client. Fails: false, while kKicksMax others wait.
  [[nodiscard]] bool kick(std::uint64_t client) {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (end - begin_.load(std::memory_order_acquire) == kKicksMax) return false;
    kicks_[end % kKicksMax] = client;
    end_.store(end + 1, std::memory_order_release);
    return true;
  }

  /// Thread: the loop's, as pop_kick().
  [[nodiscard]] bool drain_asked() const { return drain_.load(std::memory_order_relaxed); }

  /// Returns the client that waits for its kick for the longest time, once.
  [[nodiscard]] std::optional<std::uint64_t> pop_kick() {
    const std::size_t begin = begin_.load(std::memory_order_relaxed);
    if (begin == end_.load(std::memory_order_acquire)) return std::nullopt;
    const std::uint64_t client = kicks_[begin % kKicksMax];
    begin_.store(begin + 1, std::memory_order_release);
    return client;
  }

 private:
  std::atomic<bool> drain_ = false;
  std::array<std::uint64_t, kKicksMax> kicks_{};
  std::atomic<std::size_t> begin_ = 0;  ///< kicks taken
  std::atomic<std::size_t> end_ = 0;    ///< kicks ordered
};

}  // namespace tickbox::server
