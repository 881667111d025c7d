#pragma once
// The input of the arena, as the benchmarks give it.

#include "core/bytes.h"

#include <cstdint>
#include <vector>

namespace tickbox::bench {

struct Pad {
  std::int64_t move = 0;  ///< 0 at rest, else 1 to 8
  bool shoot = false;
  bool ray = false;
  std::int64_t aim = 0;  ///< one of kDirections
};

/// Returns the input by default, as a value of the arena's input type.
[[nodiscard]] std::vector<std::byte> pad_by_default();

/// Writes a pad into such a value.
void write_pad(const Pad& pad, MutableBytes input);

}  // namespace tickbox::bench
