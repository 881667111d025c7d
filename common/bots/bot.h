#pragma once
// A bot: a player that decides its inputs from a seed and from what its client sees. The styles in
// which bots play a game: three that every game has, those that a game offers, and a mix of all.

#include "core/bytes.h"
#include "core/ids.h"
#include "core/rng.h"
#include "engine/bot_sight.h"
#include "engine/map.h"
#include "tickbox/game_table.h"
#include "views/rows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::bots {

enum class StyleKind : std::uint8_t {
  Wander,  ///< changes a value of the input every 0.5 to 1.5 seconds, and presses once a second on
           ///< average
  Still,   ///< the input by default
  Stress,  ///< draws every value of the input in every tick
  OfGame,  ///< the game's bot()
  Mix,     ///< an equal share of the clients for each style, by the client's number
};

struct Style {
  StyleKind kind = StyleKind::Still;
  std::string_view name;  ///< as people write it

  friend bool operator==(const Style&, const Style&) = default;
};

/// Returns every style of a game but mix: wander, the game's own, still, stress.
[[nodiscard]] std::vector<Style> styles_of(const GameTable& game);

/// Reads a style's name. Fails: with one line that lists the styles of the game.
[[nodiscard]] std::expected<Style, std::string> parse_style(const GameTable& game,
                                                            std::string_view text);

/// Returns the style that client `number` plays: `style`, or for Mix one of the others in turn.
[[nodiscard]] Style style_of(const GameTable& game, Style style, std::uint64_t number);

/// What a client has when it needs an input.
struct Seen {
  Tick tick;  ///< in which the input is used
  Player me;
  const views::Rows& view;  ///< the newest view, by id; empty before the first
  const views::Rows& own;   ///< the player's avatars as predicted, by id
  ConstBytes room;          ///< the room's state in the newest view; empty before the first
};

/// A command that a player sends beside its input.
struct PlayerCommand {
  std::uint8_t type = 0;  ///< its number in the game's list
  ConstBytes value;       ///< as it is in memory
};

struct BotOptions {
  Style style;
  std::uint64_t seed = 0;
  std::uint32_t tick_rate = 60;
};

/// The bot of one player. The same seed and the same views give the same inputs and commands.
class Bot {
 public:
  /// `game` must live longer. Requires: a style of the game that is not Mix; tick_rate ≥ 1.
  Bot(const GameTable& game, engine::SharedMap map, const BotOptions& options);

  /// Returns the input for a tick: a value of the game's input type, valid until the next call.
  /// Cost: no allocation once warm; linear in the view for a style of the game.
  [[nodiscard]] ConstBytes decide(const Seen& seen);

  /// Returns the command that the bot sends with its last input, valid until the next decision; at
  /// most ten a second.
  [[nodiscard]] std::optional<PlayerCommand> command() const;

  /// Returns what the game's bot remembers: a value of its BotState.
  [[nodiscard]] ConstBytes memory() const {
    return ConstBytes{memory_}.first(game_->bot.state.bytes);
  }

 private:
  /// The memory of a value of a declared type, aligned so that the game may read and write it.
  struct alignas(std::uint64_t) Value : std::array<std::byte, kTypeBytesMax> {};

  /// One value of the input: an element of a field.
  struct Place {
    const FieldInfo* field;
    std::size_t i;
  };

  void wander(const Seen& seen);
  void change(const Place& place, const Seen& seen);
  void stress(const Seen& seen);
  void play(const Seen& seen);
  [[nodiscard]] std::int64_t draw_value(const FieldInfo& field, const Seen& seen);

  [[nodiscard]] MutableBytes input() { return MutableBytes{input_}.first(game_->input.bytes); }

  const GameTable* game_;
  engine::SharedMap map_;
  std::uint32_t tick_rate_;
  Style style_;
  Rng rng_;
  std::uint64_t ticks_left_ = 0;  ///< until wander() changes a value
  std::vector<Place> presses_;
  std::vector<Place> held_;  ///< the other values
  Value input_{};
  Value memory_{};
  Value room_{};
  detail::BotCommand command_;
  std::uint32_t command_pause_ = 0;  ///< ticks in which the bot sends no command
  std::vector<detail::SeenRow> seen_;
  std::vector<detail::SeenRow> own_;
};

}  // namespace tickbox::bots
