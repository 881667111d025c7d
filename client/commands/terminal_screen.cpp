#include "client/commands/terminal_screen.h"

#include <cstdint>
#include <utility>

namespace tickbox::commands {
namespace {

/// The size of a terminal that does not know its own.
constexpr terminal::Size kSizeDefault{.columns = 80, .rows = 24};

terminal::Size size_of(const os::Terminal& terminal) {
  const os::TerminalSize size = terminal.size();
  if (size.columns == 0 || size.rows == 0) return kSizeDefault;
  return {.columns = static_cast<std::uint16_t>(size.columns),
          .rows = static_cast<std::uint16_t>(size.rows)};
}

}  // namespace

std::expected<std::unique_ptr<TerminalScreen>, std::string> TerminalScreen::open(
    const Clock& clock) {
  auto terminal = os::Terminal::open({.begin = terminal::kBegin, .end = terminal::kEnd});
  if (!terminal) return std::unexpected{std::move(terminal.error())};
  return std::unique_ptr<TerminalScreen>{new TerminalScreen{clock, *std::move(terminal)}};
}

TerminalScreen::TerminalScreen(const Clock& clock, std::unique_ptr<os::Terminal> terminal)
    : clock_(clock),
      terminal_(std::move(terminal)),
      colours_(os::wants_no_colour() ? terminal::Colours::None : terminal::Colours::All) {}

void TerminalScreen::handle_changes() {
  if (terminal_->consume_changes()) shown_ = {};
}

std::vector<terminal::KeyEvent> TerminalScreen::keys() {
  std::vector<terminal::KeyEvent> events = decoder_.decode(terminal_->read(), clock_.now());
  const auto stops = [](const terminal::KeyEvent& event) {
    return event.type == terminal::KeyEvent::Type::Suspend;
  };
  if (std::erase_if(events, stops) > 0) terminal_->request_stop();
  return events;
}

void TerminalScreen::show(const terminal::Page& page) {
  if (!terminal_->flush()) return;
  terminal::Screen next = terminal::draw(page, size_of(*terminal_), colours_);
  terminal_->write(terminal::difference(shown_, next, colours_));
  shown_ = std::move(next);
}

}  // namespace tickbox::commands
