#pragma once
// What every fuzz target is made of: libFuzzer's entry, and a way to stop at a broken promise.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace tickbox::fuzz {

/// A promise that must hold for every input; libFuzzer keeps the input that breaks it.
inline void check(bool holds) {
  if (!holds) std::abort();
}

inline ConstBytes bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span{data, size});
}

}  // namespace tickbox::fuzz
