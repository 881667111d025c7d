#include "bots/bot.h"

#include "core/assert.h"
#include "engine/bot_sight.h"
#include "engine/declared.h"

#include <algorithm>
#include <utility>

namespace tickbox::bots {
namespace {

constexpr Style kMix{.kind = StyleKind::Mix, .name = "mix"};

/// The commands of a bot in a second, as many as a server takes.
constexpr std::uint32_t kCommandsPerSecond = 10;

void fill(const views::Rows& rows, std::vector<detail::SeenRow>& out) {
  out.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const views::RowHead& head = rows.head(row);
    out.push_back({.ref = engine::ref_of(head.id),
                   .owner = views::owner_of(head.id),
                   .kind = head.kind,
                   .min = head.min,
                   .velocity = head.velocity,
                   .state = rows.state(row).data()});
  }
}

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

Bot::Bot(const GameTable& game, engine::SharedMap map, const BotOptions& options)
    : game_(&game),
      map_(std::move(map)),
      tick_rate_(options.tick_rate),
      style_(options.style),
      rng_(options.seed) {
  TICKBOX_ASSERT(style_.kind != StyleKind::Mix && tick_rate_ >= 1);
  game.input.write_default(input_.data());
  game.room.write_default(room_.data());
  if (style_.kind == StyleKind::OfGame) {
    TICKBOX_ASSERT(std::ranges::find(game.bot.styles, style_.name) != game.bot.styles.end());
  }
  if (!game.bot.styles.empty()) game.bot.state.write_default(memory_.data());
  for (const FieldInfo& field : game.input.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      (field.form == FieldForm::Press ? presses_ : held_).push_back({.field = &field, .i = i});
    }
  }
}

ConstBytes Bot::decide(const Seen& seen) {
  switch (style_.kind) {
    case StyleKind::Wander:
      wander(seen);
      break;
    case StyleKind::Stress:
      stress(seen);
      break;
    case StyleKind::OfGame:
      play(seen);
      break;
    case StyleKind::Still:
    case StyleKind::Mix:
      break;
  }
  return input();
}

void Bot::wander(const Seen& seen) {
  engine::release_presses(game_->input, input());
  if (ticks_left_ == 0) {
    ticks_left_ = std::max(tick_rate_ / 2, 1U) + rng_.below(std::uint64_t{tick_rate_} + 1);
    if (!held_.empty()) change(held_[rng_.below(held_.size())], seen);
  }
  --ticks_left_;
  if (presses_.empty() || !rng_.chance(1, tick_rate_)) return;
  const Place& press = presses_[rng_.below(presses_.size())];
  engine::set_value(*press.field, press.i, 1, input());
}

/// Draws another value than the one held. A Player or a Ref may be the same again.
void Bot::change(const Place& place, const Seen& seen) {
  const FieldInfo& field = *place.field;
  std::int64_t value = 0;
  if (field.form == FieldForm::Player || field.form == FieldForm::Ref) {
    value = draw_value(field, seen);
  } else {
    const auto others = static_cast<std::uint64_t>(field.max - field.min);
    value = field.min + static_cast<std::int64_t>(rng_.below(others));
    if (value >= engine::value_of(field, place.i, input())) ++value;
  }
  engine::set_value(field, place.i, value, input());
}

void Bot::stress(const Seen& seen) {
  for (const std::vector<Place>* places : {&held_, &presses_}) {
    for (const Place& place : *places) {
      engine::set_value(*place.field, place.i, draw_value(*place.field, seen), input());
    }
  }
}

std::int64_t Bot::draw_value(const FieldInfo& field, const Seen& seen) {
  switch (field.form) {
    case FieldForm::Player:
      return static_cast<std::int64_t>(rng_.below(map_->seats));
    case FieldForm::Ref: {
      if (seen.view.empty()) return static_cast<std::int64_t>(Ref::kNone);
      const BodyId id = seen.view.head(rng_.below(seen.view.size())).id;
      return static_cast<std::int64_t>(id.value);
    }
    default: {
      const auto values = static_cast<std::uint64_t>(field.max - field.min) + 1;
      return field.min + static_cast<std::int64_t>(rng_.below(values));
    }
  }
}

void Bot::play(const Seen& seen) {
  command_.number.reset();
  fill(seen.view, seen_);
  fill(seen.own, own_);
  std::ranges::copy(seen.room, room_.begin());
  game_->bot.decide({.tick = seen.tick,
                     .tick_rate = tick_rate_,
                     .me = seen.me,
                     .map = map_.get(),
                     .room = room_.data(),
                     .seen = seen_,
                     .own = own_,
                     .random = &rng_,
                     .command = &command_},
                    memory_.data(), style_.name, input_.data());
  if (command_pause_ > 0) {
    --command_pause_;
    command_.number.reset();
  } else if (command_.number) {
    command_pause_ = (tick_rate_ + kCommandsPerSecond - 1) / kCommandsPerSecond - 1;
  }
}

std::optional<PlayerCommand> Bot::command() const {
  if (!command_.number) return std::nullopt;
  const std::size_t bytes = game_->commands[*command_.number].type.bytes;
  return PlayerCommand{.type = *command_.number, .value = ConstBytes{command_.value}.first(bytes)};
}

}  // namespace tickbox::bots
