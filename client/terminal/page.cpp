#include "client/terminal/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tickbox::terminal {
namespace {

constexpr Rgb kBarInk{.red = 208, .green = 214, .blue = 220};
constexpr Rgb kBarPaper{.red = 40, .green = 50, .blue = 64};
constexpr Rgb kAlarmInk{.red = 255, .green = 255, .blue = 255};
constexpr Rgb kAlarmPaper{.red = 176, .green = 32, .blue = 32};
constexpr Style kBar{.ink = kBarInk, .paper = kBarPaper, .is_marked = true};
constexpr Style kAlarm{.ink = kAlarmInk, .paper = kAlarmPaper, .is_marked = true};
constexpr Style kPlain{.ink = kBarInk, .paper = {}};

/// Joins the first figures that fit.
std::string joined(const std::vector<std::string>& figures, std::size_t columns) {
  std::string line;
  for (const std::string& figure : figures) {
    const std::size_t gap = line.empty() ? 1 : 2;
    if (!line.empty() && line.size() + gap + figure.size() > columns) break;
    line += std::string(gap, ' ') + figure;
  }
  return line;
}

void write_bar(std::size_t row, std::u32string_view text, const Style& style, Screen& screen) {
  screen.write(0, row, std::u32string(screen.size().columns, U' '), style);
  screen.write(0, row, text, style);
}

void write_message(std::string_view message, Screen& screen) {
  const std::u32string text = U' ' + widened(message) + U' ';
  const std::size_t columns = screen.size().columns;
  const std::size_t first = text.size() < columns ? (columns - text.size()) / 2 : 0;
  screen.write(first, screen.size().rows / 2U, text, kBar);
}

/// Writes a sentence over as many rows as it takes.
void write_sentence(const std::u32string& sentence, Screen& screen) {
  const std::size_t columns = screen.size().columns;
  for (std::size_t row = 0; row < screen.size().rows && row * columns < sentence.size(); ++row) {
    screen.write(0, row, std::u32string_view{sentence}.substr(row * columns, columns), kPlain);
  }
}

}  // namespace

Screen draw(const Page& page, Size size, Colours colours) {
  Screen screen{size};
  if (size.columns < kSizeMin.columns || size.rows < kSizeMin.rows) {
    write_sentence(widened(fmt::format("This terminal has {}x{} characters; {}x{} are needed.",
                                       size.columns, size.rows, kSizeMin.columns, kSizeMin.rows)),
                   screen);
    return screen;
  }
  const std::size_t rows = screen.size().rows;
  if (page.scene) draw_field(*page.scene, {.first = 1, .count = rows - 2}, colours, screen);
  write_bar(0, widened(joined(page.figures, screen.size().columns)), page.has_alarm ? kAlarm : kBar,
            screen);
  write_bar(rows - 1, U' ' + page.hints, kBar, screen);
  if (!page.message.empty()) write_message(page.message, screen);
  return screen;
}

}  // namespace tickbox::terminal
