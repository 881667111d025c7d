#pragma once
// A fuzz target: a function of any bytes, and a way to stop at a broken promise.
//
//   TICKBOX_FUZZ_TARGET(decode_request)(ConstBytes input) { ... }
//
// A program finds its targets by name. libFuzzer calls one function of a fixed name, so for it each
// target has a program (one_target.cpp); fuzz_replay has them all.

#include "core/bytes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <map>
#include <string>
#include <string_view>

namespace tickbox::fuzz {

using Target = void (*)(ConstBytes input);

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

/// Whether a text was read; a refusal must be one line.
template <class Value>
bool is_read(const std::expected<Value, std::string>& read) {
  check(read || (!read.error().empty() && !read.error().contains('\n')));
  return read.has_value();
}

inline std::string_view text_of(ConstBytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

/// As much of the input as fits, then zeros.
template <std::size_t size>
std::array<std::byte, size> padded(ConstBytes input) {
  std::array<std::byte, size> bytes{};
  std::copy_n(input.begin(), std::min(input.size(), size), bytes.begin());
  return bytes;
}

}  // namespace tickbox::fuzz

#define TICKBOX_FUZZ_TARGET(name)                                                   \
  static void fuzz_##name(tickbox::ConstBytes input);                               \
  static const tickbox::fuzz::Registration registration_##name{#name, fuzz_##name}; \
  static void fuzz_##name
