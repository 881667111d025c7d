#include "client/terminal/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::terminal {
namespace {

constexpr Rgb kBarInk{.red = 208, .green = 214, .blue = 220};
constexpr Rgb kBarPaper{.red = 40, .green = 50, .blue = 64};
constexpr Rgb kAlarmInk{.red = 255, .green = 255, .blue = 255};
constexpr Rgb kAlarmPaper{.red = 176, .green = 32, .blue = 32};
constexpr CellStyle kBar{.ink = kBarInk, .paper = kBarPaper, .is_marked = true};
constexpr CellStyle kAlarm{.ink = kAlarmInk, .paper = kAlarmPaper, .is_marked = true};
constexpr CellStyle kPlain{.ink = kBarInk, .paper = {}};

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

/// Takes the first row of a text: as many of its groups, which two spaces part, as fit, or of a
/// group that is too long as many words. A word that is too long is cut.
std::u32string_view cut_row(std::u32string_view& text, std::size_t columns) {
  constexpr auto kNone = std::u32string_view::npos;
  std::size_t end = text.size();
  if (end > columns) {
    end = text.rfind(U"  ", columns);
    if (end == kNone || end == 0) end = text.rfind(U' ', columns);
    if (end == kNone || end == 0) end = columns;
  }
  const std::u32string_view row = text.substr(0, end);
  text.remove_prefix(std::min(text.find_first_not_of(U' ', end), text.size()));
  return row;
}

/// Breaks the hints into rows, at most a third of the screen's; the last one is cut.
std::vector<std::u32string_view> rows_of(std::u32string_view hints, Size size) {
  std::vector<std::u32string_view> rows;
  do {
    rows.push_back(cut_row(hints, size.columns - 1U));
  } while (!hints.empty() && rows.size() < size.rows / 3U);
  return rows;
}

void write_bar(std::size_t row, std::u32string_view text, const CellStyle& style, Screen& screen) {
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

/// Returns a key as it is shown: an arrow key as an arrow, any other by its name.
std::u32string shown_name(std::string_view key) {
  if (key == "left") return U"←";
  if (key == "right") return U"→";
  if (key == "up") return U"↑";
  if (key == "down") return U"↓";
  return widened(key);
}

/// The keys that are named together.
struct Group {
  std::string name;  ///< of the field, or of the command
  std::vector<std::string_view> keys;
};

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
  const std::vector<std::u32string_view> hints = rows_of(page.hints, screen.size());
  const std::size_t first_hint = rows - hints.size();
  if (page.scene) draw_field(*page.scene, {.first = 1, .count = first_hint - 1}, colours, screen);
  write_bar(0, widened(joined(page.figures, screen.size().columns)), page.has_alarm ? kAlarm : kBar,
            screen);
  for (std::size_t i = 0; i < hints.size(); ++i) {
    write_bar(first_hint + i, U' ' + std::u32string{hints[i]}, kBar, screen);
  }
  if (!page.message.empty()) write_message(page.message, screen);
  return screen;
}

std::u32string key_hints(const GameTable& game) {
  std::vector<Group> groups;
  std::vector<std::string_view> seen;
  const auto add = [&](std::string_view keys, const std::string& name) {
    if (keys.find('+') != std::string_view::npos) return;
    if (std::ranges::find(seen, keys) != seen.end()) return;
    seen.push_back(keys);
    auto group = std::ranges::find(groups, name, &Group::name);
    if (group == groups.end()) group = groups.insert(group, {.name = name, .keys = {}});
    group->keys.push_back(keys);
  };
  for (const KeyTable& key : game.keys) {
    add(key.keys, std::string{game.input.fields()[key.field].name});
  }
  for (const CommandKeyTable& key : game.command_keys) {
    std::string name{game.commands[key.command].type.name};
    if (name[0] >= 'A' && name[0] <= 'Z') name[0] = static_cast<char>(name[0] - 'A' + 'a');
    add(key.keys, name);
  }
  std::u32string hints;
  for (const Group& group : groups) {
    if (!hints.empty()) hints += U"  ";
    for (const std::string_view key : group.keys) {
      hints += shown_name(key) + U' ';
    }
    hints += widened(group.name);
  }
  return hints;
}

}  // namespace tickbox::terminal
