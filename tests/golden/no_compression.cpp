// In place of record/compression.cpp, for the builds of build.sh, which have no zstd: the golden
// match is not compressed.

#include "core/assert.h"
#include "record/compression.h"

namespace tickbox::record {

struct Compressor::Context {};

Compressor::Compressor() = default;
Compressor::~Compressor() = default;

void Compressor::append(ConstBytes /*bytes*/, std::vector<std::byte>& /*out*/) {
  TICKBOX_ASSERT(!"this build does not compress");
}

std::size_t compressed_bytes_max(std::size_t bytes) {
  return bytes;
}

bool decompress(ConstBytes /*frame*/, std::size_t /*size*/, std::vector<std::byte>& /*out*/) {
  return false;
}

}  // namespace tickbox::record
