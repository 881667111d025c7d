#pragma once
// Reads and writes whole numbers in little-endian order, for formats that fix the place of each
// byte, and fixed layouts of such numbers field by field. Also the interface for bytes that must
// outlive the process (ByteSink).

#include "core/assert.h"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tickbox {

using ConstBytes = std::span<const std::byte>;
using MutableBytes = std::span<std::byte>;

/// Writes `value` at the start of `out`, lowest byte first. Requires: space for it.
template <std::unsigned_integral T>
constexpr void store_le(MutableBytes out, T value) {
  TICKBOX_ASSERT(out.size() >= sizeof(T));
  if !consteval {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(out.data(), &value, sizeof(T));
      return;
    }
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    out[i] = static_cast<std::byte>(value >> (8 * i));
  }
}

/// Reads a number that store_le() wrote. Requires: sizeof(T) bytes.
template <std::unsigned_integral T>
[[nodiscard]] constexpr T load_le(ConstBytes in) {
  TICKBOX_ASSERT(in.size() >= sizeof(T));
  T value = 0;
  if !consteval {
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(&value, in.data(), sizeof(T));
      return value;
    }
  }
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value =
        static_cast<T>(value | (static_cast<T>(std::to_integer<std::uint8_t>(in[i])) << (8 * i)));
  }
  return value;
}

/// Returns the bytes of a text or of any contiguous range of one-byte elements.
template <class Range>
[[nodiscard]] ConstBytes as_bytes_of(const Range& range) {
  return std::as_bytes(std::span{range});
}

/// A destination for bytes that must outlive the process: a file in the programs, mostly memory in
/// the tests. Takes bytes in order. Thread: one writer.
class ByteSink {
 public:
  virtual ~ByteSink() = default;

  /// Accepts `bytes`. The sink of a running server (os/files/file_sink.h) accepts all or none of
  /// them, and never waits for a disk.
  /// Fails: false, if too many bytes wait to be written, or the disk has failed.
  virtual bool write(ConstBytes bytes) = 0;
};

// Fixed layouts, written and read field by field. Datagrams of the handshake have such a layout,
// because they are read before their sender is authenticated. The sealed parts of tokens and
// tickets have one too.

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
