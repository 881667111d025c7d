#pragma once
// The golden file: for every scene a line `scene NAME`, then a line for each tick from 1 on, the
// state's hash in 16 hexadecimal digits, the report's in 8 and the motion's in 8. Lines that begin
// with # are comments.

#include "tests/golden/scene.h"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
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

/// Returns the content of any file; nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path);

/// Overwrites any file. Fails: false, if not all could be written.
[[nodiscard]] bool write_file(const std::string& path, std::string_view content);

/// A hash as it stands in the file.
[[nodiscard]] std::string hex(std::uint64_t state);
[[nodiscard]] std::string hex(std::uint32_t report_or_motion);

}  // namespace tickbox::golden
