#pragma once
// A limit on what may be under way at once, such as streams.

#include <atomic>
#include <cstddef>
#include <memory>

namespace tickbox::server {

/// A place that is taken until the last copy of it is destroyed; nullptr: none is free.
using Place = std::shared_ptr<const void>;

/// Thread: one reserves places; any may give them back.
class Places {
 public:
  explicit Places(std::size_t count) : free_(std::make_shared<std::atomic<std::size_t>>(count)) {}

  [[nodiscard]] Place reserve() {
    if (free_->load(std::memory_order_relaxed) == 0) return nullptr;
    free_->fetch_sub(1, std::memory_order_relaxed);
    const void* const any = free_.get();
    return {any, [free = free_](const void*) { free->fetch_add(1, std::memory_order_relaxed); }};
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> free_;
};

}  // namespace tickbox::server
