#pragma once
// The layout of --help: paragraphs broken into lines of the terminal's width.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace CLI {  // NOLINT(readability-identifier-naming)
class FormatterBase;
}  // namespace CLI

namespace tickbox::cli {

/// The least and the greatest width of help, and the width without a terminal, in columns.
inline constexpr std::size_t kHelpWidthMin = 60;
inline constexpr std::size_t kHelpWidthMax = 120;
inline constexpr std::size_t kHelpWidthDefault = 80;

/// Returns the width of help on stdout: that of the terminal, else of the variable COLUMNS, else
/// kHelpWidthDefault. The result is within the limits.
[[nodiscard]] std::size_t help_width();

/// The shape of a paragraph.
struct Layout {
  std::size_t width = kHelpWidthDefault;
  std::size_t indent = 0;  ///< blanks before each line but the first
  std::string_view cut;    ///< at the end of each line but the last, such as " \\"
};

/// Returns `head` and then the words of `text`, in lines of at most `layout.width` columns with a
/// line end after each. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(std::string head, std::string_view text, const Layout& layout);

/// Returns the formatter of a program's help, for lines of `width` columns.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter(std::size_t width);

}  // namespace tickbox::cli
