#pragma once
// Numbers of a few bits, packed without gaps, the lowest bit first.

#include "core/assert.h"
#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tickbox::engine {

/// Returns a number whose lowest `bits` bits are set. Requires: bits ≤ 64.
[[nodiscard]] constexpr std::uint64_t low_mask(unsigned bits) {
  return bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
}

/// Collects bits in a few words, and appends them when they are full; the rest when the writer is
/// destroyed.
class BitWriter {
 public:
  /// Appends to `out`, which must live longer, and is complete once the writer is destroyed.
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled as far as there are bits
  explicit BitWriter(std::vector<std::byte>& out) : out_(out), first_(out.size()) {}

  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;

  ~BitWriter() {
    store_le(MutableBytes{full_}.subspan(full_bytes_), word_);
    append(full_bytes_ + (used_ + 7) / 8);
  }

  /// Requires: bits ≤ 64, value below 2^bits.
  void write(std::uint64_t value, unsigned bits) {
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): used_ is below the bits of a word
    word_ |= value << used_;
    const unsigned space = kWordBits - used_;
    if (bits < space) {
      used_ += bits;
      return;
    }
    store_le(MutableBytes{full_}.subspan(full_bytes_), word_);
    full_bytes_ += sizeof(word_);
    if (full_bytes_ == kFullBytes) append(kFullBytes);
    word_ = space < kWordBits ? value >> space : 0;
    used_ = bits - space;
  }

  /// Fills up a byte with zeros.
  void fill_byte() {
    if (written() % 8 != 0) write(0, static_cast<unsigned>(8 - written() % 8));
  }

  /// Returns the number of bits written.
  [[nodiscard]] std::size_t written() const {
    return 8 * (out_.size() - first_ + full_bytes_) + used_;
  }

 private:
  static constexpr unsigned kWordBits = 64;
  static constexpr std::size_t kFullBytes = 128;

  void append(std::size_t bytes) {
    out_.insert(out_.end(), full_.begin(), full_.begin() + static_cast<std::ptrdiff_t>(bytes));
    full_bytes_ = 0;
  }

  std::vector<std::byte>& out_;
  std::size_t first_;
  std::array<std::byte, kFullBytes> full_;  ///< full words; at the end also one that is not full
  std::size_t full_bytes_ = 0;
  std::uint64_t word_ = 0;
  unsigned used_ = 0;  ///< bits of the word
};

class BitReader {
 public:
  /// The most bits that a word holds behind any bit of its first byte. Up to this number read() is
  /// faster.
  static constexpr unsigned kFastBits = 57;

  explicit BitReader(ConstBytes bytes, std::size_t first_bit = 0) : bytes_(bytes), at_(first_bit) {}

  /// Returns 0 after the end, and fails.
  std::uint64_t read(unsigned bits) {
    if (bits > kFastBits) return read_bytewise(bits);
    if (bits > left_ && !load_word()) return read_bytewise(bits);
    const std::uint64_t value = word_ & low_mask(bits);
    word_ >>= bits;
    left_ -= bits;
    at_ += bits;
    return value;
  }

  /// Reads the zeros that fill up a byte. Fails: false, for other bits.
  [[nodiscard]] bool skip_to_byte() {
    if (failed_) return false;
    return at_ % 8 == 0 || read(static_cast<unsigned>(8 - at_ % 8)) == 0;
  }

  /// Ends a sequence: whether less than a byte is left, all of it zeros.
  [[nodiscard]] bool is_at_end() { return skip_to_byte() && at_ / 8 == bytes_.size(); }

  /// Returns the number of bits that were read, with those before `first_bit`.
  [[nodiscard]] std::size_t at() const { return at_; }

  /// Returns the number of bytes of which a bit was read.
  [[nodiscard]] std::size_t bytes_taken() const { return (at_ + 7) / 8; }

  [[nodiscard]] bool failed() const { return failed_; }

 private:
  /// Loads the next bits into the word, at least kFastBits. Fails: false, near the end.
  /// Out of line: read() is in many places.
  [[gnu::noinline]] bool load_word() {
    if (at_ / 8 + sizeof(std::uint64_t) > bytes_.size()) return false;
    const auto shift = static_cast<unsigned>(at_ % 8);
    const ConstBytes word{bytes_.data() + at_ / 8, sizeof(std::uint64_t)};
    word_ = load_le<std::uint64_t>(word) >> shift;
    left_ = 64 - shift;
    return true;
  }

  [[gnu::noinline]] std::uint64_t read_bytewise(unsigned bits) {
    left_ = 0;
    if (bits > 8 * bytes_.size() - at_) {
      at_ = 8 * bytes_.size();
      failed_ = true;
      return 0;
    }
    std::uint64_t value = 0;
    for (unsigned done = 0; done < bits;) {
      const auto shift = static_cast<unsigned>(at_ % 8);
      const unsigned taken = std::min(8 - shift, bits - done);
      const auto byte = static_cast<std::uint64_t>(bytes_[at_ / 8]);
      value |= (byte >> shift & low_mask(taken)) << done;
      done += taken;
      at_ += taken;
    }
    return value;
  }

  ConstBytes bytes_;
  std::size_t at_ = 0;      ///< in bits
  std::uint64_t word_ = 0;  ///< the next bits
  unsigned left_ = 0;       ///< bits of the word
  bool failed_ = false;
};

/// Copies `bits` bits of `from`, from bit `first` on.
inline void copy_bits(ConstBytes from, std::size_t first, std::size_t bits, BitWriter& out) {
  BitReader reader{from, first};
  for (std::size_t left = bits; left > 0;) {
    const auto taken = static_cast<unsigned>(std::min<std::size_t>(left, BitReader::kFastBits));
    out.write(reader.read(taken), taken);
    left -= taken;
  }
  TICKBOX_ASSERT(!reader.failed());
}

}  // namespace tickbox::engine
