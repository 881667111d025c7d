#include "record/compression.h"

#include "core/assert.h"

#include <cstdint>
#include <zstd.h>

namespace tickbox::record {
namespace {

/// The fastest of the usual levels, because compression runs on the tick.
constexpr int kLevel = 1;

}  // namespace

struct Compressor::Context {
  ZSTD_CCtx* zstd = ZSTD_createCCtx();

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  ~Context() { ZSTD_freeCCtx(zstd); }
};

Compressor::Compressor() : context_(std::make_unique<Context>()) {
  TICKBOX_ASSERT(context_->zstd != nullptr);
}

Compressor::~Compressor() = default;

void Compressor::append(ConstBytes bytes, std::vector<std::byte>& out) {
  const std::size_t start = out.size();
  out.resize(start + compressed_bytes_max(bytes.size()));
  const std::size_t size = ZSTD_compressCCtx(context_->zstd, out.data() + start, out.size() - start,
                                             bytes.data(), bytes.size(), kLevel);
  TICKBOX_ASSERT(ZSTD_isError(size) == 0U);
  out.resize(start + size);
}

std::size_t compressed_bytes_max(std::size_t bytes) {
  return ZSTD_compressBound(bytes);
}

bool decompress(ConstBytes frame, std::size_t size, std::vector<std::byte>& out) {
  // The library may also accept frames of its first versions, with code that is little reviewed.
  const bool is_frame =
      frame.size() >= sizeof(std::uint32_t) && load_le<std::uint32_t>(frame) == ZSTD_MAGICNUMBER;
  if (!is_frame || ZSTD_getFrameContentSize(frame.data(), frame.size()) != size ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size()) {
    return false;
  }
  out.resize(size);
  return ZSTD_decompress(out.data(), out.size(), frame.data(), frame.size()) == size;
}

}  // namespace tickbox::record
