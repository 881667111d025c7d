#include "client/terminal/screen.h"

#include "core/assert.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tickbox::terminal {
namespace {

/// Writes cells one after the other. It knows where the cursor is and which style applies.
class Pen {
 public:
  Pen(Colours colours, std::string& out) : colours_(colours), out_(out) {}

  void write(std::size_t column, std::size_t row, const Cell& cell) {
    if (row != row_ || column != column_) {
      fmt::format_to(std::back_inserter(out_), "\x1b[{};{}H", row + 1, column + 1);
    }
    apply(cell.style);
    append_utf8(cell.glyph, out_);
    row_ = row;
    column_ = column + 1;
  }

  void finish() {
    if (has_style_) out_ += "\x1b[0m";
  }

 private:
  void apply(const CellStyle& style) {
    if (colours_ == Colours::None) {
      // Without a style yet, the terminal's is that of an unmarked cell.
      if (style_.is_marked != style.is_marked) out_ += style.is_marked ? "\x1b[7m" : "\x1b[0m";
    } else {
      if (!has_style_ || style_.ink != style.ink) colour(38, style.ink);
      if (!has_style_ || style_.paper != style.paper) colour(48, style.paper);
    }
    has_style_ = true;
    style_ = style;
  }

  void colour(int what, Rgb rgb) {
    fmt::format_to(std::back_inserter(out_), "\x1b[{};2;{};{};{}m", what, rgb.red, rgb.green,
                   rgb.blue);
  }

  Colours colours_;
  std::string& out_;
  std::size_t row_ = kSizeMax.rows;  ///< of the cursor; at first unknown
  std::size_t column_ = 0;
  bool has_style_ = false;
  CellStyle style_;
};

/// Returns whether two cells look the same. Without colours, ink and paper do not count; with
/// colours, the mark does not.
bool are_alike(const Cell& a, const Cell& b, Colours colours) {
  if (a.glyph != b.glyph) return false;
  if (colours == Colours::None) return a.style.is_marked == b.style.is_marked;
  return a.style.ink == b.style.ink && a.style.paper == b.style.paper;
}

}  // namespace

Screen::Screen(Size size)
    : size_{.columns = std::min(size.columns, kSizeMax.columns),
            .rows = std::min(size.rows, kSizeMax.rows)},
      cells_(std::size_t{size_.columns} * size_.rows) {}

Cell& Screen::at(std::size_t column, std::size_t row) {
  TICKBOX_ASSERT(column < size_.columns && row < size_.rows);
  return cells_[row * size_.columns + column];
}

const Cell& Screen::at(std::size_t column, std::size_t row) const {
  TICKBOX_ASSERT(column < size_.columns && row < size_.rows);
  return cells_[row * size_.columns + column];
}

void Screen::write(std::size_t column, std::size_t row, std::u32string_view text,
                   const CellStyle& style) {
  for (const char32_t character : text) {
    if (column >= size_.columns) return;
    at(column, row) = {.glyph = character, .style = style};
    ++column;
  }
}

std::u32string widened(std::string_view ascii) {
  std::u32string wide;
  for (const char byte : ascii) {
    const bool is_printable = byte >= ' ' && byte <= '~';
    wide += is_printable ? static_cast<char32_t>(byte) : U'?';
  }
  return wide;
}

void append_utf8(char32_t character, std::string& out) {
  const auto append = [&out](char32_t byte) { out += static_cast<char>(byte); };
  const auto append_tail = [&](int shift) { append(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    append(character);
  } else if (character < 0x800) {
    append(0xc0 | character >> 6);
    append_tail(0);
  } else if (character < 0x10000) {
    append(0xe0 | character >> 12);
    append_tail(6);
    append_tail(0);
  } else {
    append(0xf0 | character >> 18);
    append_tail(12);
    append_tail(6);
    append_tail(0);
  }
}

std::string difference(const Screen& before, const Screen& next, Colours colours) {
  std::string bytes;
  const bool is_known = before.size() == next.size();
  if (!is_known) bytes = "\x1b[0m\x1b[H\x1b[2J";
  Pen pen{colours, bytes};
  for (std::size_t row = 0; row < next.size().rows; ++row) {
    for (std::size_t column = 0; column < next.size().columns; ++column) {
      const Cell& cell = next.at(column, row);
      if (is_known && are_alike(before.at(column, row), cell, colours)) continue;
      pen.write(column, row, cell);
    }
  }
  pen.finish();
  return bytes;
}

std::string text_of(const Screen& screen) {
  std::string text;
  for (std::size_t row = 0; row < screen.size().rows; ++row) {
    for (std::size_t column = 0; column < screen.size().columns; ++column) {
      append_utf8(screen.at(column, row).glyph, text);
    }
    text += '\n';
  }
  return text;
}

}  // namespace tickbox::terminal
