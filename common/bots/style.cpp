#include "bots/style.h"

#include <cstddef>

namespace tickbox::bots {
namespace {

constexpr Style kMix{.kind = StyleKind::Mix, .name = "mix"};

}  // namespace

std::vector<Style> styles_of(const GameTable& game) {
  std::vector<Style> styles = {{.kind = StyleKind::Wander, .name = "wander"}};
  for (const std::string_view name : game.bot.styles) {
    styles.push_back({.kind = StyleKind::OfGame, .name = name});
  }
  styles.push_back({.kind = StyleKind::Still, .name = "still"});
  styles.push_back({.kind = StyleKind::Stress, .name = "stress"});
  return styles;
}

std::expected<Style, std::string> parse_style(const GameTable& game, std::string_view text) {
  if (text == kMix.name) return kMix;
  std::string names;
  for (const Style& style : styles_of(game)) {
    if (text == style.name) return style;
    if (!names.empty()) names += ", ";
    names += style.name;
  }
  return std::unexpected("unknown bot \"" + std::string{text} + "\"; give " + names + " or mix");
}

Style style_of(const GameTable& game, Style style, std::uint64_t number) {
  if (style.kind != StyleKind::Mix) return style;
  const std::vector<Style> styles = styles_of(game);
  return styles[static_cast<std::size_t>(number % styles.size())];
}

}  // namespace tickbox::bots
