#pragma once
// Plays the scenes against the golden file, and says where they part.

#include "tests/golden/golden_file.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tickbox::golden {

/// The first `ticks` of every scene.
[[nodiscard]] Golden play_all(std::uint32_t ticks);

/// Plays the first `ticks` of every scene and prints a line for each: to stdout that it agrees, to
/// stderr where and how it first differs from `golden`, the content of the file at `path`.
/// Returns how many scenes differ; those that only the file has count too.
[[nodiscard]] std::size_t count_different(const Golden& golden, const std::string& path,
                                          std::uint32_t ticks);

}  // namespace tickbox::golden
