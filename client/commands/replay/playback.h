#pragma once
// Plays an input script by a swarm: client by client the inputs of one recorded seat, all in the
// same ticks of the server.

#include "client/commands/load/input_script.h"
#include "core/ids.h"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::commands {

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
