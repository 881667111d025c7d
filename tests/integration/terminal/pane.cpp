#include "tests/integration/terminal/pane.h"

#include <sstream>
#include <stdexcept>
#include <utility>

namespace tickbox::integration {

std::string in_shell(const Command& command) {
  std::string words = "'" + command.program + "'";
  for (const std::string& argument : command.arguments) {
    words += " '" + argument + "'";
  }
  return words;
}

Pane::Pane(const std::string& script, PaneSize size, const std::vector<std::string>& environment)
    : environment_(environment) {
  const std::string path =
      folder_.write("script", "cd '" + folder_.file("") + "'\n" + script + "\n");
  const Finished started =
      ask({"new-session", "-d", "-x", std::to_string(size.columns), "-y", std::to_string(size.rows),
           "exec timeout --foreground 120 bash '" + path + "'"});
  if (started.exit_code != kDone) throw std::runtime_error{"no tmux: " + started.err};
}

Pane::~Pane() {
  static_cast<void>(ask({"kill-server"}));
}

Finished Pane::ask(std::vector<std::string> arguments) const {
  const std::vector<std::string> server = {"-u", "-S", folder_.file("tmux"), "-f", "/dev/null"};
  arguments.insert(arguments.begin(), server.begin(), server.end());
  return run(
      {.program = "/usr/bin/tmux", .arguments = std::move(arguments), .environment = environment_});
}

void Pane::press(const std::vector<std::string>& keys) const {
  std::vector<std::string> arguments = {"send-keys"};
  arguments.insert(arguments.end(), keys.begin(), keys.end());
  static_cast<void>(ask(std::move(arguments)));
}

void Pane::resize(PaneSize size) const {
  static_cast<void>(
      ask({"resize-window", "-x", std::to_string(size.columns), "-y", std::to_string(size.rows)}));
}

std::string Pane::text(Style style) const {
  if (style == Style::Shown) return ask({"capture-pane", "-p", "-e"}).out;
  return ask({"capture-pane", "-p"}).out;
}

std::vector<std::string> Pane::rows() const {
  std::istringstream in{text()};
  std::vector<std::string> rows;
  for (std::string row; std::getline(in, row);) {
    rows.push_back(row);
  }
  return rows;
}

std::string Pane::variable(std::string_view name) const {
  std::string value = ask({"display-message", "-p", "#{" + std::string{name} + "}"}).out;
  if (value.ends_with('\n')) value.pop_back();
  return value;
}

bool Pane::wait_for(std::string_view wanted) const {
  return eventually([&] { return text().contains(wanted); });
}

std::string Pane::line_of(const std::string& file) const {
  std::string line;
  static_cast<void>(eventually([&] {
    line = os::text_of(folder_.file(file));
    return line.ends_with('\n');
  }));
  if (line.ends_with('\n')) line.pop_back();
  return line;
}

}  // namespace tickbox::integration
