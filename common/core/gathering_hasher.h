#pragma once
// For many small fields: XXH3 takes a thousand bytes nearly as quickly as one.

#include "core/hash.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace tickbox {

/// A StreamHasher that gathers fields before it hashes them. Its value is the same.
/// Cost: no allocation; the state lives inside.
class GatheringHasher {
 public:
  explicit GatheringHasher(std::uint64_t seed = 0) : hasher_(seed) {}

  template <std::integral T>
  void add(T field) {
    if (gathered_.size() - size_ < sizeof(T)) flush();
    store_le(MutableBytes{gathered_}.subspan(size_), static_cast<std::make_unsigned_t<T>>(field));
    size_ += sizeof(T);
  }

  [[nodiscard]] std::uint64_t digest() {
    flush();
    return hasher_.digest();
  }

 private:
  void flush() {
    hasher_.add_bytes(ConstBytes{gathered_}.first(size_));
    size_ = 0;
  }

  StreamHasher hasher_;
  std::array<std::byte, 1024> gathered_{};
  std::size_t size_ = 0;
};

}  // namespace tickbox
