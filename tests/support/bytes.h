#pragma once
// Bytes written out in a test.

#include <cstddef>
#include <initializer_list>
#include <vector>

namespace tickbox::tests {

using Bytes = std::vector<std::byte>;

[[nodiscard]] inline Bytes bytes(std::initializer_list<int> values) {
  Bytes all;
  for (const int value : values)
    all.push_back(static_cast<std::byte>(value));
  return all;
}

}  // namespace tickbox::tests
