#pragma once
// Why something was not taken. A test that expects a fault must fail where there is none, and
// error() of a result that has a value is undefined.

#include <expected>
#include <optional>

namespace tickbox::samples {

/// Nothing, where it was taken.
template <class Value, class Fault>
std::optional<Fault> fault_of(const std::expected<Value, Fault>& result) {
  return result ? std::nullopt : std::optional{result.error()};
}

}  // namespace tickbox::samples
