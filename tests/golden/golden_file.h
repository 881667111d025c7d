#pragma once
// The golden file: for every scene a line `scene NAME`, then a line for each tick from 1 on, the
// state's hash in 16 hexadecimal digits, the report's in 8 and the motion's in 8. Lines that begin
// with # are comments.

#include "tests/golden/scene.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace tickbox::golden {

struct GoldenScene {
  std::string name;
  std::vector<TickHashes> ticks;  ///< tick 1 first
};

using Golden = std::vector<GoldenScene>;

/// Fails: with one line that says what is wrong, where, and what to do.
[[nodiscard]] std::expected<Golden, std::string> read_golden(const std::string& path);
[[nodiscard]] std::expected<void, std::string> write_golden(const std::string& path,
                                                            const Golden& golden);

/// A hash as it stands in the file.
[[nodiscard]] std::string hex(std::uint64_t state);
[[nodiscard]] std::string hex(std::uint32_t report_or_motion);

}  // namespace tickbox::golden
