#pragma once
// A terminal of a test: a pane of a tmux server of its own; a bash script runs in the pane.

#include "tests/integration/programs.h"
#include "tests/unit/os/temporary_folder.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tickbox::integration {

struct PaneSize {
  int columns = 80;
  int rows = 24;
};

/// Returns a command as words for a shell.
[[nodiscard]] std::string in_shell(const Command& command);

/// The pane ends with the object; by itself after two minutes.
class Pane {
 public:
  /// The script runs in a folder of the pane's own. Throws std::runtime_error if there is no tmux.
  explicit Pane(const std::string& script, PaneSize size = {},
                const std::vector<std::string>& environment = {});
  Pane(const Pane&) = delete;
  Pane& operator=(const Pane&) = delete;
  ~Pane();

  /// Sends keys by their names in tmux, such as "d", "C-c" or "Right".
  void press(const std::vector<std::string>& keys) const;

  void resize(PaneSize size) const;

  /// Returns the rows of the pane.
  [[nodiscard]] std::vector<std::string> rows() const;

  /// Shown: with the sequences of its colours.
  enum class Style : std::uint8_t { Plain, Shown };
  /// Returns the rows as one text.
  [[nodiscard]] std::string text(Style style = Style::Plain) const;

  /// Returns the value of a variable of tmux, such as "alternate_on".
  [[nodiscard]] std::string variable(std::string_view name) const;

  /// Waits until the pane has a text. Returns whether it came in time.
  [[nodiscard]] bool wait_for(std::string_view wanted) const;

  /// Returns the line in a file that the script writes, once the line is whole; empty if there is
  /// no such file in time.
  [[nodiscard]] std::string line_of(const std::string& file) const;

  [[nodiscard]] std::string file(std::string_view name) const { return folder_.file(name); }

 private:
  [[nodiscard]] Finished ask(std::vector<std::string> arguments) const;

  os::TemporaryFolder folder_;
  std::vector<std::string> environment_;
};

}  // namespace tickbox::integration
