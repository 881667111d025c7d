#pragma once
// Numbers of a few bits, packed without gaps, the lowest bit first.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::engine {

class BitWriter {
 public:
  /// Appends to `out`, which must live longer.
  explicit BitWriter(std::vector<std::byte>& out) : out_(out) {}

  /// Requires: bits ≤ 64, value below 2^bits.
  void put(std::uint64_t value, unsigned bits) {
    for (unsigned done = 0; done < bits; ++done) {
      if (used_ == 0) out_.push_back({});
      out_.back() |= static_cast<std::byte>((value >> done & 1U) << used_);
      used_ = (used_ + 1) % 8;
    }
  }

 private:
  std::vector<std::byte>& out_;
  unsigned used_ = 0;  ///< bits of the last byte; 0: all
};

class BitReader {
 public:
  explicit BitReader(ConstBytes bytes) : bytes_(bytes) {}

  /// Returns 0 after the end, and fails.
  std::uint64_t take(unsigned bits) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < bits; ++done, ++at_) {
      if (at_ / 8 >= bytes_.size()) {
        failed_ = true;
        return 0;
      }
      const auto byte = static_cast<unsigned>(bytes_[at_ / 8]);
      value |= std::uint64_t{byte >> at_ % 8 & 1U} << done;
    }
    return value;
  }

  /// Reads the zeros that fill up a byte. Fails: false, for other bits.
  [[nodiscard]] bool skip_to_byte() {
    while (!failed_ && at_ % 8 != 0) {
      if (take(1) != 0) return false;
    }
    return !failed_;
  }

  /// Ends a sequence: whether less than a byte is left, all of it zeros.
  [[nodiscard]] bool is_at_end() { return skip_to_byte() && at_ / 8 == bytes_.size(); }

  /// Returns the bytes of which a bit was read.
  [[nodiscard]] std::size_t bytes_taken() const { return (at_ + 7) / 8; }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  ConstBytes bytes_;
  std::size_t at_ = 0;  ///< in bits
  bool failed_ = false;
};

}  // namespace tickbox::engine
