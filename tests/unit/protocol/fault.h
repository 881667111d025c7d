#pragma once
// Why something was not taken, so that a test that expects a fault fails where there is none:
// error() of what was taken is any value whatever.

#include <expected>
#include <optional>

namespace tickbox::samples {

/// Nothing, where it was taken.
template <class Value, class Fault>
std::optional<Fault> fault_of(const std::expected<Value, Fault>& result) {
  return result ? std::nullopt : std::optional{result.error()};
}

}  // namespace tickbox::samples
