#pragma once
// The inputs of the players of a recording, tick by tick: a file of JSON lines that `replay inputs`
// writes and `load --inputs` plays. `../README.md` describes its content.

#include "core/bytes.h"
#include "core/ids.h"
#include "engine/identity.h"
#include "record/reader.h"
#include "tickbox/game_table.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::commands {

/// The largest input file that is read, in bytes.
inline constexpr std::size_t kInputFileBytesMax = std::size_t{1} << 30;

/// An input that holds from `tick` until the next change. The tick counts from the script's first.
struct InputChange {
  std::uint32_t tick = 0;
  std::vector<std::byte> input;  ///< a value of the game's input type

  friend bool operator==(const InputChange&, const InputChange&) = default;
};

struct PlayerScript {
  Player seat;                       ///< in the recording
  std::vector<InputChange> changes;  ///< by tick; the player rests before the first

  /// Returns the input for `tick`; none before the first change. `at` keeps the position and begins
  /// as 0. Requires: `tick` is not before that of the last call with this `at`.
  [[nodiscard]] ConstBytes input(std::uint32_t tick, std::size_t& at) const;

  friend bool operator==(const PlayerScript&, const PlayerScript&) = default;
};

struct InputScript {
  const GameTable* game = nullptr;
  std::uint32_t tick_rate = 0;
  std::uint32_t first_tick = 0;  ///< in the recording; the script begins with the next tick
  std::uint32_t ticks = 0;
  std::vector<PlayerScript> players;  ///< by seat; each seat that ever had a player

  friend bool operator==(const InputScript&, const InputScript&) = default;
};

/// Returns the script of a recording. A seat rests between a leave and the next join; all
/// seats rest while ticks are missing. A seat that rests has the input by default.
/// Fails: with the `ticks` so far, if `stopped`, called at each record, returns true.
/// Requires: `played` is what the recording's header names; its game lives longer than the script.
[[nodiscard]] std::expected<InputScript, std::uint32_t> script_of(
    const record::Reader& reader, const engine::GameOnMap& played,
    const std::function<bool()>& stopped);

[[nodiscard]] std::string to_text(const InputScript& script);

/// Reads a script of one of `games`. Fails: with one line that names the line of the text.
[[nodiscard]] std::expected<InputScript, std::string> parse_script(std::string_view text,
                                                                   engine::Games games);

/// A script that swarms play. Clients beyond its players play the same inputs as the first ones.
/// Thread: one for each client; begin() while no client plays.
class Playback {
 public:
  /// `clients`: 0 for one for each player. `rounds`: how often they play the script, in a row.
  struct Repeats {
    std::size_t clients = 0;
    std::uint32_t rounds = 1;
  };

  Playback(InputScript script, const Repeats& repeats);

  [[nodiscard]] const InputScript& script() const { return script_; }

  [[nodiscard]] std::size_t clients() const { return positions_.size(); }

  /// Returns the number of ticks of all rounds.
  [[nodiscard]] std::uint64_t ticks() const { return std::uint64_t{rounds_} * script_.ticks; }

  /// Sets the server's tick at which the script's first tick is played; all clients rest before.
  void begin(Tick at) { begin_ = at; }

  /// Returns the input of client `number` for a tick, a value of the game's input type that is
  /// valid as long as this object. Requires: number < clients(); a client's ticks never decrease.
  [[nodiscard]] ConstBytes input(std::size_t number, Tick tick);

 private:
  InputScript script_;

  /// Where a client is in the script.
  struct Position {
    std::uint32_t round = 0;
    std::size_t changes_taken = 0;  ///< in this round
  };

  std::uint32_t rounds_;
  std::vector<std::byte> rest_;      ///< the input by default
  std::vector<Position> positions_;  ///< by client
  std::optional<Tick> begin_;
};

}  // namespace tickbox::commands
