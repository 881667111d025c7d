#pragma once
// What the players of a recording wanted, tick by tick, apart from the recording: a file of JSON
// lines that `replay inputs` writes and `load --inputs` plays. README.md says what is in it.

#include "core/ids.h"
#include "game/input.h"
#include "record/reader.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {

/// Largest input file that is read.
inline constexpr std::size_t kInputFileBytesMax = std::size_t{1} << 30;

/// From `tick` on, counted from the script's first, until the next change.
struct InputChange {
  std::uint32_t tick = 0;
  game::Input input;

  friend bool operator==(const InputChange&, const InputChange&) = default;
};

struct PlayerScript {
  PlayerId seat;                     ///< in the recording
  std::vector<InputChange> changes;  ///< by tick; at rest before the first

  /// Requires: a tick that is not before that of the last call with this `at`, which begins as 0.
  [[nodiscard]] game::Input input(std::uint32_t tick, std::size_t& at) const;

  friend bool operator==(const PlayerScript&, const PlayerScript&) = default;
};

struct InputScript {
  std::uint32_t tick_rate = 0;
  std::string rules;
  std::uint32_t first_tick = 0;  ///< of the recording
  std::uint32_t ticks = 0;
  std::vector<PlayerScript> players;  ///< by seat; each seat that ever had an input

  friend bool operator==(const InputScript&, const InputScript&) = default;
};

/// A seat whose player left rests until the next comes; so do all where ticks are missing. How far
/// back a player looked is not in it: whoever plays it looks by itself.
/// `stopped`, asked at each record, gives the rest up where it is true: then there is nothing.
[[nodiscard]] std::optional<InputScript> script_of(record::Reader reader,
                                                   const std::function<bool()>& stopped);

[[nodiscard]] std::string to_text(const InputScript& script);

/// Fails: with one line that names the line of the text.
[[nodiscard]] std::expected<InputScript, std::string> parse_script(std::string_view text);

/// A script, played by a swarm.
class Playback {
 public:
  explicit Playback(InputScript script)
      : script_(std::move(script)), changes_taken_(script_.players.size()) {}

  [[nodiscard]] const InputScript& script() const { return script_; }

  /// The script's first tick is played as the server's tick `at`; everybody rests before.
  void begin(Tick at) { begin_ = at; }

  /// What client `number` wants in a tick.  Requires: number < script().players.size(); a client's
  /// ticks never go back.
  [[nodiscard]] game::Input input(std::size_t number, Tick tick) {
    if (!begin_ || tick < *begin_ || tick.value - begin_->value >= script_.ticks) {
      return {};
    }
    return script_.players[number].input(tick.value - begin_->value, changes_taken_[number]);
  }

 private:
  InputScript script_;
  std::vector<std::size_t> changes_taken_;
  std::optional<Tick> begin_;
};

}  // namespace tickbox::commands
