#pragma once
// A TOML file whose flat keys are the flags of a program.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::cli {

/// Largest configuration read.
inline constexpr std::size_t kConfigBytesMax = std::size_t{1} * 1024 * 1024;

/// What a value is in the file: a flag takes no text, and an option for one value no list.
enum class ConfigKind : std::uint8_t { Text, Number, Truth, List };

struct ConfigEntry {
  std::string key;    ///< a flag without its dashes: "tick-rate"
  std::string value;  ///< as it would stand on the command line; of a list, joined by commas
  ConfigKind kind = ConfigKind::Text;
  unsigned line = 0;
};

/// The entries of `text` in the order of their lines; `path` is for messages.
/// Fails: when it is no TOML, or has tables or lists of other than text and numbers, with one line
/// that names file and line.
[[nodiscard]] std::expected<std::vector<ConfigEntry>, std::string> parse_config(
    std::string_view text, const std::string& path);

/// parse_config() of a file.  Fails: also when it cannot be read.
[[nodiscard]] std::expected<std::vector<ConfigEntry>, std::string> read_config(
    const std::string& path);

/// What is wrong in a file, in one line: it may quote line ends.
[[nodiscard]] std::string config_fault(const std::string& path, unsigned line, std::string why);

}  // namespace tickbox::cli
