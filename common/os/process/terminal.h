#pragma once
// The terminal of this process, for a program that draws on all of it and reads single keys.
//
// A program that ends with its terminal in raw mode leaves a shell in which one types blindly. So
// the terminal is restored before the process ends or stops: by the destructor, before a failed
// assertion prints its line, before std::terminate() ends the process, and by handlers of the
// signals that end or crash a process. Only SIGKILL and SIGSTOP cannot be handled. SIGINT, SIGTERM
// and SIGHUP stay with StopSignals: the program ends its work, and then destroys this object.

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace tickbox::os {

struct TerminalSize {
  std::size_t columns = 0;
  std::size_t rows = 0;
};

/// Bytes for the terminal. Requires: static memory, as a signal handler reads it.
struct TerminalBytes {
  std::string_view begin;  ///< prepares it for this program
  std::string_view end;    ///< undoes `begin`
};

/// Whether a program may draw: stdin and stdout are a terminal that can move its cursor (TERM is
/// set, and not to "dumb"), and this process is in its foreground.
[[nodiscard]] bool can_draw();

/// Whether the user asks for no colours, by a NO_COLOR that is not empty (https://no-color.org).
[[nodiscard]] bool wants_no_colour();

/// The terminal of stdout in raw mode. Ctrl-C and Ctrl-Z still send their signals.
/// Requires: one object at a time. Thread: one.
class Terminal {
 public:
  /// Fails: with one line.
  [[nodiscard]] static std::expected<std::unique_ptr<Terminal>, std::string> open(
      const TerminalBytes& bytes);

  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  [[nodiscard]] TerminalSize size() const;

  /// Returns what was typed since the last call, valid until the next one. Never waits.
  [[nodiscard]] std::string_view read();

  /// Sends bytes. Never waits: what a slow terminal does not take is sent by later calls of
  /// flush(). Does nothing while the terminal is restored for a stop.
  void write(std::string_view bytes);

  /// Returns whether all bytes are sent.
  bool flush();

  /// Requests a stop of all processes of the job, as Ctrl-Z does.
  void request_stop();

  /// Carries out a stop that was requested by SIGTSTP: restores the terminal, and waits there until
  /// a shell continues the process. A later call takes the terminal again. Returns whether the
  /// terminal's content was lost since the last call: after a stop, after a change of its size, and
  /// at first. Call it regularly, but not if the program is about to end.
  [[nodiscard]] bool consume_changes();

 private:
  Terminal() = default;

  void begin();
  void stop();

  std::string waiting_;  ///< to be sent
  std::string typed_;
  bool was_lost_ = true;
  // The signals that consume_changes() has taken, of those that the handler has counted.
  int resizes_ = 0;
  int stops_ = 0;
  int continues_ = 0;
};

}  // namespace tickbox::os
