#pragma once
// Compression of keyframes, by zstd.

#include "core/bytes.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tickbox::record {

/// Keeps its memory from one use to the next.
class Compressor {
 public:
  Compressor();
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor();

  /// Appends `bytes` as one zstd frame.
  void append(ConstBytes bytes, std::vector<std::byte>& out);

 private:
  struct Context;

  std::unique_ptr<Context> context_;
};

/// The longest frame of so many bytes.
[[nodiscard]] std::size_t compressed_bytes_max(std::size_t bytes);

/// Writes what a frame holds into `out`, in place of what is there.
/// Fails: false, where it is no frame of exactly `size` bytes.
[[nodiscard]] bool decompress(ConstBytes frame, std::size_t size, std::vector<std::byte>& out);

}  // namespace tickbox::record
