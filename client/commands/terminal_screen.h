#pragma once
// The terminal of a command that draws: its keys, and a page at a time.

#include "client/terminal/keyboard.h"
#include "client/terminal/page.h"
#include "client/terminal/screen.h"
#include "core/clock.h"
#include "os/process/terminal.h"

#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tickbox::commands {

/// The time between two pictures. A camera that follows a body moves by about a pixel in this time.
inline constexpr Duration kPictureTime = std::chrono::milliseconds{33};

/// The terminal is restored when the object is destroyed. Thread: one.
class TerminalScreen {
 public:
  /// Takes the terminal. Requires: `clock` outlives the object. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<TerminalScreen>, std::string> open(
      const Clock& clock);

  /// Carries out stops by Ctrl-Z, and notices changes of the size. Call it regularly, but not if
  /// the program is about to end.
  void handle_changes();

  /// Returns the keys since the last call. Ctrl-Z is not among them: it stops the job.
  [[nodiscard]] std::vector<terminal::KeyEvent> keys();

  /// Draws a page, unless the terminal is too slow and has not taken the last one.
  void show(const terminal::Page& page);

 private:
  TerminalScreen(const Clock& clock, std::unique_ptr<os::Terminal> terminal);

  const Clock& clock_;
  std::unique_ptr<os::Terminal> terminal_;
  terminal::Colours colours_;
  terminal::KeyDecoder decoder_;
  terminal::Screen shown_;
};

}  // namespace tickbox::commands
