#pragma once
// Writes and reads fixed layouts, field by field. Datagrams of the handshake have such a layout,
// because they are read before their sender is authenticated. The sealed parts of tokens and
// tickets have one too.

#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>

namespace tickbox {

/// Returns `first`, then `second`. Requires: kSize bytes together.
template <std::size_t kSize>
[[nodiscard]] std::array<std::byte, kSize> joined(ConstBytes first, ConstBytes second) {
  TICKBOX_ASSERT(first.size() + second.size() == kSize);
  std::array<std::byte, kSize> bytes{};
  std::ranges::copy(second, std::ranges::copy(first, bytes.begin()).out);
  return bytes;
}

/// A writer of fields, one after the other. Requires: space for each field.
class ByteWriter {
 public:
  explicit ByteWriter(MutableBytes out) : rest_(out) {}

  template <std::unsigned_integral T>
  void number(T value) {
    store_le(rest_, value);
    rest_ = rest_.subspan(sizeof(T));
  }

  void bytes(ConstBytes field) {
    TICKBOX_ASSERT(field.size() <= rest_.size());
    std::ranges::copy(field, rest_.begin());
    rest_ = rest_.subspan(field.size());
  }

 private:
  MutableBytes rest_;
};

/// A reader of fields that ByteWriter wrote. Requires: enough bytes left for each field.
class ByteReader {
 public:
  explicit ByteReader(ConstBytes in) : rest_(in) {}

  template <std::unsigned_integral T>
  [[nodiscard]] T number() {
    const T value = load_le<T>(rest_);
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  void bytes(MutableBytes field) {
    TICKBOX_ASSERT(field.size() <= rest_.size());
    std::ranges::copy(rest_.first(field.size()), field.begin());
    rest_ = rest_.subspan(field.size());
  }

 private:
  ConstBytes rest_;
};

}  // namespace tickbox
