#pragma once
// Writes and reads fields of fixed width, and numbers of variable length (LEB128). A number has 7
// bits per byte, the lowest first; the high bit says that more bytes follow. Only the shortest form
// is valid.

#include "core/bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tickbox {

inline constexpr int kNumberBits = 7;
inline constexpr std::uint32_t kMoreFollow = 1U << kNumberBits;

/// A writer that appends to `out`. Cost: no allocation if `out` has enough capacity.
class NumberWriter {
 public:
  explicit NumberWriter(std::vector<std::byte>& out) : out_(out) {}

  template <std::unsigned_integral T>
  void fixed(T value) {
    std::array<std::byte, sizeof(T)> bytes{};
    store_le(bytes, value);
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }

  void fixed(std::int32_t value) { fixed(static_cast<std::uint32_t>(value)); }

  void number(std::uint32_t value) {
    for (; value >= kMoreFollow; value >>= kNumberBits) {
      out_.push_back(static_cast<std::byte>(value | kMoreFollow));
    }
    out_.push_back(static_cast<std::byte>(value));
  }

  void bytes(ConstBytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }

 private:
  std::vector<std::byte>& out_;
};

/// A reader that takes fields from the front. After a wrong field, or a read past the end of the
/// bytes, every read returns zero or no bytes, and failed() returns true.
class NumberReader {
 public:
  explicit NumberReader(ConstBytes bytes) : rest_(bytes) {}

  template <std::unsigned_integral T>
  T fixed() {
    if (rest_.size() < sizeof(T)) return fail();
    const T value = load_le<T>(rest_);
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }

  std::int32_t coordinate() { return static_cast<std::int32_t>(fixed<std::uint32_t>()); }

  std::uint32_t number(std::uint32_t most = std::numeric_limits<std::uint32_t>::max()) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 5 * kNumberBits; shift += kNumberBits) {
      const auto byte = std::uint64_t{fixed<std::uint8_t>()};
      value |= (byte & (kMoreFollow - 1)) << shift;
      if ((byte & kMoreFollow) != 0) continue;
      const bool shortest = byte != 0 || shift == 0;
      return shortest && value <= most ? static_cast<std::uint32_t>(value) : fail();
    }
    return fail();
  }

  /// Reads a count of elements, each at least `bytes_each` bytes long. Fails if the count is above
  /// `most` or the bytes left are too few, so that no caller reserves memory for absent elements.
  std::uint32_t count(std::size_t most, std::size_t bytes_each) {
    const std::uint32_t count = number();
    return count <= most && count * bytes_each <= rest_.size() ? count : fail();
  }

  /// Returns the next `count` bytes. If fewer are left, fails and returns none.
  ConstBytes bytes(std::size_t count) {
    if (count > rest_.size()) {
      fail();
      return {};
    }
    const ConstBytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  [[nodiscard]] std::size_t remaining() const { return rest_.size(); }

  /// Returns the bytes that are left, and takes none.
  [[nodiscard]] ConstBytes rest() const { return rest_; }

  [[nodiscard]] bool failed() const { return failed_; }

  std::uint8_t fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

 private:
  ConstBytes rest_;
  bool failed_ = false;
};

}  // namespace tickbox
