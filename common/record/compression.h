#pragma once
// Compression of keyframes, by zstd.

#include "core/bytes.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace tickbox::record {

/// A zstd compressor that keeps its memory from one use to the next.
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

/// Returns the maximum size of a frame with this many bytes of content.
[[nodiscard]] std::size_t compressed_bytes_max(std::size_t bytes);

/// Replaces the content of `out` with that of `frame`.
/// Fails: false, if `frame` is not a frame of exactly `size` bytes of content.
[[nodiscard]] bool decompress(ConstBytes frame, std::size_t size, std::vector<std::byte>& out);

}  // namespace tickbox::record
