#pragma once
// XXH3-64 over canonical bytes: every whole number enters lowest byte first, so the hash is the
// same on every machine. BufferedHasher collects many small fields first, because one call of
// XXH3 for a thousand bytes costs far less than a call for each field.

#include "core/assert.h"
#include "core/bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tickbox {

/// Returns XXH3-64 of `bytes`. Source: xxHash, XXH3_64bits_withSeed.
[[nodiscard]] std::uint64_t hash_bytes(ConstBytes bytes, std::uint64_t seed = 0);

/// A hasher that gathers up to Capacity bytes of fields and hashes them in one call, as for a
/// random draw.
template <std::size_t Capacity>
class FieldHasher {
 public:
  template <std::integral T>
  void add(T field) {
    using Unsigned = std::make_unsigned_t<T>;
    TICKBOX_ASSERT(size_ + sizeof(T) <= Capacity);
    store_le(MutableBytes{bytes_}.subspan(size_), static_cast<Unsigned>(field));
    size_ += sizeof(T);
  }

  [[nodiscard]] std::uint64_t digest(std::uint64_t seed) const {
    return hash_bytes(ConstBytes{bytes_}.first(size_), seed);
  }

 private:
  std::array<std::byte, Capacity> bytes_{};
  std::size_t size_ = 0;
};

/// A hasher of a stream of any length. Its digest is hash_bytes() of all its bytes.
/// Cost: no allocation; the state is a member.
class StreamHasher {
 public:
  explicit StreamHasher(std::uint64_t seed = 0);
  StreamHasher(const StreamHasher&) = delete;
  StreamHasher& operator=(const StreamHasher&) = delete;

  template <std::integral T>
  void add(T field) {
    std::array<std::byte, sizeof(T)> bytes{};
    store_le(MutableBytes{bytes}, static_cast<std::make_unsigned_t<T>>(field));
    add_bytes(bytes);
  }

  void add_bytes(ConstBytes bytes);

  [[nodiscard]] std::uint64_t digest() const;

 private:
  // Large enough and aligned for XXH3_state_t; a static_assert in hash.cpp checks both.
  alignas(64) std::array<std::byte, 576> state_{};
};

/// A StreamHasher that gathers fields before it hashes them. Its digest is the same.
/// Cost: no allocation; the state is a member.
class BufferedHasher {
 public:
  explicit BufferedHasher(std::uint64_t seed = 0) : hasher_(seed) {}

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
