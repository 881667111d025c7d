#pragma once
// A fuzz target: a function of any bytes, and a way to stop at a broken promise.
//
//   TICKBOX_FUZZ_TARGET(decode_ask)(const std::uint8_t* data, std::size_t size) { ... return 0; }
//
// libFuzzer calls one target by a name of its own, so each has a program (TICKBOX_FUZZ). Every
// other build has all targets in one program, which finds them by name.

#include "core/bytes.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <span>
#include <string_view>

namespace tickbox::fuzz {

using Target = int (*)(const std::uint8_t* data, std::size_t size);

/// The targets of this program, by name.
inline std::map<std::string_view, Target>& targets() {
  static std::map<std::string_view, Target> all;
  return all;
}

struct Registration {
  Registration(std::string_view name, Target target) { targets().emplace(name, target); }
};

/// A promise that must hold for every input; libFuzzer keeps the input that breaks it.
inline void check(bool holds) {
  if (!holds) std::abort();
}

inline ConstBytes bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span{data, size});
}

}  // namespace tickbox::fuzz

#ifdef TICKBOX_FUZZ
#define TICKBOX_FUZZ_TARGET(name) extern "C" int LLVMFuzzerTestOneInput
#else
#define TICKBOX_FUZZ_TARGET(name)                                                   \
  static int fuzz_##name(const std::uint8_t* data, std::size_t size);               \
  static const tickbox::fuzz::Registration registration_##name{#name, fuzz_##name}; \
  static int fuzz_##name
#endif
