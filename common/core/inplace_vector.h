#pragma once
// A vector whose capacity is part of its type: for queues and lists that must never allocate on the
// tick path.

#include "core/assert.h"

#include <array>
#include <cstddef>

namespace tickbox {

template <class T, std::size_t Capacity>
class InplaceVector {
 public:
  [[nodiscard]] static constexpr std::size_t capacity() { return Capacity; }

  [[nodiscard]] constexpr std::size_t size() const { return size_; }

  [[nodiscard]] constexpr bool empty() const { return size_ == 0; }

  [[nodiscard]] constexpr bool full() const { return size_ == Capacity; }

  /// Requires: not full().
  constexpr T& push_back(const T& item) {
    TICKBOX_ASSERT(!full());
    return items_[size_++] = item;
  }

  /// Requires: not empty().
  constexpr void pop_back() {
    TICKBOX_ASSERT(!empty());
    --size_;
  }

  /// Removes the element at `index`. The others keep their order. Requires: index < size().
  constexpr void erase_at(std::size_t index) {
    TICKBOX_ASSERT(index < size_);
    for (std::size_t i = index + 1; i < size_; ++i) {
      items_[i - 1] = items_[i];
    }
    --size_;
  }

  constexpr void clear() { size_ = 0; }

  /// Sets the size. New elements have any value: write them. Requires: at most capacity().
  constexpr void resize(std::size_t size) {
    TICKBOX_ASSERT(size <= Capacity);
    size_ = size;
  }

  constexpr T& operator[](std::size_t index) {
    TICKBOX_ASSERT(index < size_);
    return items_[index];
  }

  constexpr const T& operator[](std::size_t index) const {
    TICKBOX_ASSERT(index < size_);
    return items_[index];
  }

  constexpr T* begin() { return items_.data(); }

  constexpr T* end() { return items_.data() + size_; }

  constexpr const T* begin() const { return items_.data(); }

  constexpr const T* end() const { return items_.data() + size_; }

  constexpr T* data() { return items_.data(); }

  constexpr const T* data() const { return items_.data(); }

 private:
  std::array<T, Capacity> items_{};
  std::size_t size_ = 0;
};

}  // namespace tickbox
