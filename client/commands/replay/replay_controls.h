#pragma once
// The keys of `replay play`: which tick is shown at a time, and whose view.

#include "client/terminal/keyboard.h"
#include "core/clock.h"
#include "core/ids.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tickbox::commands {

/// The ticks of a recording.
struct ReplayRange {
  Tick first;
  Tick last;
  std::uint32_t tick_rate = 0;
};

/// Plays from the start. Pauses at the end, and when a key moves by ticks.
class ReplayControls {
 public:
  ReplayControls(const ReplayRange& range, Tick start, Instant now);

  void handle(const terminal::KeyEvent& event, Instant now);

  /// Returns the tick to show. Requires: `now` never decreases.
  [[nodiscard]] Tick tick(Instant now);

  [[nodiscard]] bool is_playing() const { return is_playing_; }

  [[nodiscard]] bool has_left() const { return has_left_; }

  /// Returns whether the next player was requested since the last call.
  [[nodiscard]] bool consume_next_player();

  /// Returns the digits typed after `g`; nothing while none are expected.
  [[nodiscard]] const std::optional<std::string>& typed() const { return typed_; }

 private:
  void pause(Instant now);
  void move(std::int64_t ticks, Instant now);
  void jump(std::int64_t tick, Instant now);
  [[nodiscard]] bool type(terminal::KeyCode key, Instant now);
  void press(terminal::KeyCode key, Instant now);

  ReplayRange range_;
  Tick from_;      ///< while it plays: shown at since_; else shown now
  Instant since_;  ///< of the begin of playing
  bool is_playing_ = true;
  bool has_left_ = false;
  bool wants_next_player_ = false;
  std::optional<std::string> typed_;
};

}  // namespace tickbox::commands
