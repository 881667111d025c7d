#pragma once
// Play by a person: draws what the client's player sees on the terminal, and makes inputs and
// commands from its keys.

#include "client/commands/play/swarm.h"
#include "client/keys.h"
#include "client/player.h"
#include "client/terminal/field.h"
#include "client/terminal/keyboard.h"
#include "client/terminal/page.h"
#include "client/terminal/screen.h"
#include "core/clock.h"
#include "os/process/terminal.h"

#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tickbox::commands {

// The terminal of a command that draws: its keys, and a page at a time.

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
  [[nodiscard]] std::vector<client::KeyEvent> keys();

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

struct TerminalViewOptions {
  std::string server;  ///< its address, in words
  std::string bot{};   ///< the style of the bot that plays; empty: the person at the terminal
};

/// The terminal is restored when the object is destroyed. Thread: one.
class TerminalView {
 public:
  /// Takes the terminal. Requires: `clock` outlives the object. Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<TerminalView>, std::string> open(
      const TerminalViewOptions& options, const Clock& clock);

  /// Returns the player whose inputs come from the keys. Requires: the object outlives its use.
  [[nodiscard]] client::MakePlayer person();

  /// Reads the keys. Draws what the first client of the swarm sees, if a picture is due and the
  /// terminal has taken the last one. Call it after each turn of the swarm.
  void turn(Swarm& swarm);

  /// Returns the time of the next picture.
  [[nodiscard]] Instant next_picture() const { return next_picture_; }

  /// Returns whether the player has left, by `q` or Ctrl-C.
  [[nodiscard]] bool has_left() const { return has_left_; }

 private:
  TerminalView(TerminalViewOptions options, const Clock& clock,
               std::unique_ptr<TerminalScreen> screen);

  void read_keys();
  void handle(const client::KeyEvent& event, Instant now);
  [[nodiscard]] std::span<const bots::PlayerCommand> commands_of(const GameTable& game);
  [[nodiscard]] bool leaves_by_q() const;
  [[nodiscard]] terminal::Page page(Swarm& swarm);
  [[nodiscard]] std::span<const terminal::DrawnBody> drawn(
      const client::Client& client, std::span<const client::PresentedBody> shown);
  void count_silence(const client::Client& client, Instant now);
  void update_figures(const client::Client& client, Instant now);
  [[nodiscard]] std::u32string hints(const client::Client& client) const;

  TerminalViewOptions options_;
  const Clock& clock_;
  std::unique_ptr<TerminalScreen> screen_;
  client::HeldKeys keys_;
  std::optional<client::KeyBindings> bindings_;  ///< of the game; nothing before it is known
  std::vector<bots::PlayerCommand> commands_;
  std::vector<terminal::DrawnBody> bodies_;
  std::vector<std::string> figures_;
  bool has_alarm_ = false;
  std::uint64_t packets_ = 0;  ///< received by the time of the last picture
  Instant heard_;              ///< when their number changed
  Instant next_picture_;
  Instant next_figures_;
  bool has_left_ = false;
};

}  // namespace tickbox::commands
