#pragma once
// Reads a TOML file whose top-level keys are the flags of a program.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::cli {

/// The largest configuration file that is read.
inline constexpr std::size_t kConfigBytesMax = std::size_t{32} * 1024;

/// The type of a value in the file. A flag takes only a Truth; an option with one value takes no
/// List.
enum class ConfigKind : std::uint8_t { Text, Number, Truth, List };

struct ConfigEntry {
  std::string key;    ///< a flag without its dashes: "tick-rate"
  std::string value;  ///< the text as on the command line; a list is joined by commas
  ConfigKind kind = ConfigKind::Text;
  unsigned line = 0;
};

/// Returns the entries of `text` in the order of their lines; `path` is for messages.
/// Fails: with a message of one line that has the file and the number of the line, if the text is
/// not TOML, or has a table, a date or an empty list. Lists hold only numbers, booleans, and texts
/// without commas.
[[nodiscard]] std::expected<std::vector<ConfigEntry>, std::string> parse_config(
    std::string_view text, const std::string& path);

/// Reads a file and calls parse_config(). Fails: also if the file cannot be read.
[[nodiscard]] std::expected<std::vector<ConfigEntry>, std::string> read_config(
    const std::string& path);

/// Returns the message about an error in a file, as one line: line ends in `why` become blanks.
[[nodiscard]] std::string config_fault(const std::string& path, unsigned line, std::string why);

}  // namespace tickbox::cli
