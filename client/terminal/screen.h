#pragma once
// A screen of character cells, and the bytes that change a terminal from one screen to the next.
// Only cells that differ are written.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal {

/// Columns and rows of characters.
struct Size {
  std::uint16_t columns = 0;
  std::uint16_t rows = 0;

  friend bool operator==(Size, Size) = default;
};

/// The largest screen. A larger terminal uses its upper left corner only.
inline constexpr Size kSizeMax{.columns = 400, .rows = 150};

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(Rgb, Rgb) = default;
};

/// Whether the terminal shows colours; NO_COLOR turns them off.
enum class Colours : std::uint8_t { None, All };

/// How a cell looks.
struct CellStyle {
  Rgb ink;
  Rgb paper;
  bool is_marked = false;  ///< shown in reverse without colours

  friend bool operator==(const CellStyle&, const CellStyle&) = default;
};

struct Cell {
  char32_t glyph = U' ';  ///< one column wide
  CellStyle style;

  friend bool operator==(const Cell&, const Cell&) = default;
};

class Screen {
 public:
  Screen() = default;

  /// An empty screen; at most kSizeMax.
  explicit Screen(Size size);

  [[nodiscard]] Size size() const { return size_; }

  /// Requires: column and row within size().
  [[nodiscard]] Cell& at(std::size_t column, std::size_t row);
  [[nodiscard]] const Cell& at(std::size_t column, std::size_t row) const;

  /// Writes a text into one row, and cuts it at the right edge.
  void write(std::size_t column, std::size_t row, std::u32string_view text, const CellStyle& style);

 private:
  Size size_;
  std::vector<Cell> cells_;
};

/// Returns a text for a screen. Bytes that are not printable ASCII become '?'.
[[nodiscard]] std::u32string widened(std::string_view ascii);

/// Appends a character as UTF-8.
void append_utf8(char32_t character, std::string& out);

/// Returns the bytes that change a terminal from `before` to `next`. A `before` of another size
/// stands for a terminal with unknown content: it is cleared first.
[[nodiscard]] std::string difference(const Screen& before, const Screen& next, Colours colours);

/// Returns the rows of a screen as lines of text, without style.
[[nodiscard]] std::string text_of(const Screen& screen);

}  // namespace tickbox::terminal
