#include "package/laws/random_match.h"

#include "engine/declared.h"

#include <algorithm>
#include <utility>

namespace tickbox::laws {
namespace {

/// One chance in N for each seat and tick; kStrikes for each ray.
constexpr std::uint64_t kJoins = 12;
constexpr std::uint64_t kLeaves = 80;
constexpr std::uint64_t kChanges = 4;
constexpr std::uint64_t kStrikes = 2;
constexpr std::uint64_t kCommands = 40;
/// Bots stay longer: most of a game is far from where its players appear. One that joins again is
/// the client that has left.
constexpr std::uint64_t kBotLeaves = 600;

std::int64_t draw_value(const FieldInfo& field, const engine::World& world, Rng& dice) {
  switch (field.form) {
    case FieldForm::Player:
      return static_cast<std::int64_t>(dice.below(world.seats().size()));
    case FieldForm::Ref:
      return world.size() > 0 ? static_cast<std::int64_t>(world.id(dice.below(world.size())).value)
                              : static_cast<std::int64_t>(Ref::kNone);
    default:
      return field.min + static_cast<std::int64_t>(
                             dice.below(static_cast<std::uint64_t>(field.max - field.min) + 1));
  }
}

}  // namespace

std::vector<std::byte> drawn_value(const TypeInfo& type, const engine::World& world, Rng& dice) {
  std::vector<std::byte> value(type.bytes);
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      engine::set_value(field, i, draw_value(field, world, dice), value);
    }
  }
  return value;
}

RandomMatch::RandomMatch(const GameTable& game, engine::SharedMap map, const MatchOptions& options)
    : world_(game, std::move(map), options.tick_rate, options.seed),
      dice_(~options.seed),
      options_(options),
      left_at_(options.seats),
      bots_(options.players == Players::Bots && !game.bot.styles.empty() ? options.seats : 0),
      held_(options.seats * std::size_t{game.input.bytes}),
      judge_([this](std::span<const engine::FiredRay> rays, std::vector<engine::Strike>& strikes) {
        strike(rays, strikes);
      }) {
  if (options.call_counts != nullptr) stepper_.set_call_counts(*options.call_counts);
  stepper_.open(world_);
}

const engine::TickRequest& RandomMatch::draw() {
  leaves_.clear();
  joins_.clear();
  inputs_.clear();
  commands_.clear();
  command_bytes_.clear();
  if (!bots_.empty()) seen_.assign(world_);
  const bool opens_match = record_.closes_match();
  for (std::uint16_t seat = 0; seat < world_.seats().size(); ++seat) {
    const Player player{seat};
    const bool was_here = world_.has(player);
    const bool leaves =
        was_here && (opens_match || dice_.chance(1, bots_.empty() ? kLeaves : kBotLeaves));
    const bool joins = (!was_here || leaves) && dice_.chance(1, kJoins);
    if (leaves) {
      leaves_.push_back(player);
      left_at_[seat] = world_.tick + 1;
    }
    if (joins)
      joins_.push_back(
          {.player = player,
           .user_data = std::string_view{"team"}.substr(dice_.below(5)),
           .has_left_at = bots_.empty() || opens_match ? std::nullopt : left_at_[seat]});
    if (!joins && (!was_here || leaves)) continue;
    if (!bots_.empty()) {
      ask_bot(player, joins);
      continue;
    }
    draw_input(player);
    if (!world_.game().commands.empty() && dice_.chance(1, kCommands)) draw_command(player);
  }
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    commands_[i].bytes = command_bytes_[i];
  }
  request_ = {.opens_match = opens_match,
              .leaves = leaves_,
              .joins = joins_,
              .commands = commands_,
              .inputs = inputs_,
              .judge = &judge_};
  return request_;
}

MutableBytes RandomMatch::held(Player player) {
  const std::size_t bytes = world_.game().input.bytes;
  return MutableBytes{held_}.subspan(player.seat * bytes, bytes);
}

/// The bot of a seat decides by the whole world as it is before the tick.
void RandomMatch::ask_bot(Player player, bool joins) {
  const GameTable& game = world_.game();
  std::optional<bots::Bot>& bot = bots_[player.seat];
  const std::size_t style = (options_.seed / 2 + player.seat) % game.bot.styles.size();
  if (joins) {
    bot.emplace(game, world_.map(),
                bots::BotOptions{.style = {bots::StyleKind::OfGame, game.bot.styles[style]},
                                 .seed = dice_.next(),
                                 .tick_rate = options_.tick_rate});
  }
  own_.begin(game);
  for (std::size_t row = 0; row < world_.size() && !joins; ++row) {
    if (world_.is_controlled_by(row, player)) own_.add(views::row_of(world_, row));
  }
  if (options_.call_counts != nullptr) {
    options_.call_counts->add({.callback = engine::Callback::Bot, .kind = style});
  }
  const ConstBytes input = bot->decide(
      {.tick = world_.tick + 1, .me = player, .view = seen_, .own = own_, .room = world_.room()});
  std::ranges::copy(input, held(player).begin());
  inputs_.push_back({.player = player, .input = held(player)});
  if (const auto command = bot->command()) {
    add_command(player, command->type, {command->value.begin(), command->value.end()});
  }
}

/// Now and then a player changes one field, or presses a button.
void RandomMatch::draw_input(Player player) {
  const TypeInfo& type = world_.game().input;
  const MutableBytes held = this->held(player);
  if (std::ranges::find(joins_, player, &engine::Join::player) != joins_.end()) {
    world_.game().input.write_default(held.data());
  }
  engine::release_presses(type, held);
  if (type.field_count > 0 && dice_.chance(1, kChanges)) {
    const FieldInfo& field = type.fields()[dice_.below(type.field_count)];
    const auto i = dice_.below(field.times);
    engine::set_value(field, i, draw_value(field, world_, dice_), held);
  }
  for (const FieldInfo& field : type.fields()) {
    const bool is_pressed = field.form == FieldForm::Press && dice_.chance(1, 2 * kChanges);
    if (is_pressed) engine::set_value(field, 0, 1, held);
  }
  inputs_.push_back({.player = player, .input = held});
}

void RandomMatch::draw_command(Player player) {
  const auto type = static_cast<std::uint8_t>(dice_.below(world_.game().commands.size()));
  add_command(player, type, drawn_value(world_.game().commands[type].type, world_, dice_));
}

void RandomMatch::add_command(Player player, std::uint8_t type, std::vector<std::byte> bytes) {
  command_bytes_.push_back(std::move(bytes));
  commands_.push_back({.player = player, .type = type, .bytes = {}});
}

void RandomMatch::strike(std::span<const engine::FiredRay> rays,
                         std::vector<engine::Strike>& strikes) {
  for (const engine::FiredRay& ray : rays) {
    shooters_.push_back(ray.shooter);
    const std::size_t row = dice_.below(world_.size());
    if (world_.kind_of(row).struck == nullptr || !dice_.chance(1, kStrikes)) continue;
    strikes.push_back({.shooter = ray.shooter, .victim = engine::ref_of(world_.id(row))});
  }
}

const engine::TickReport& RandomMatch::step() {
  shooters_.clear();
  return stepper_.step(world_, request_, record_);
}

void RandomMatch::move_memory() {
  engine::World fresh = world_;
  std::ranges::fill(world_.states(), std::byte{0xa5});
  for (std::size_t i = 0; i < world_.size(); ++i) {
    const detail::Row row = world_.row(i);
    *row.min = {-1, -1};
    *row.velocity = {-1, -1};
  }
  world_ = std::move(fresh);
}

}  // namespace tickbox::laws
