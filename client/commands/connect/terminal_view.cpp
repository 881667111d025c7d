#include "client/commands/connect/terminal_view.h"

#include "client/commands/connect/play_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using client::Client;
using client::Connection;

/// The size of a terminal that does not know its own.
constexpr terminal::Size kSizeDefault{.columns = 80, .rows = 24};

terminal::Size size_of(const os::Terminal& terminal) {
  const os::TerminalSize size = terminal.size();
  if (size.columns == 0 || size.rows == 0) return kSizeDefault;
  return {.columns = static_cast<std::uint16_t>(size.columns),
          .rows = static_cast<std::uint16_t>(size.rows)};
}

/// The time between two changes of the figures: a person cannot read faster.
constexpr Duration kFiguresTime = std::chrono::milliseconds{250};

/// The silence after which the first figure reports it. A server sends at least ten packets a
/// second, unless its snapshot rate is lower.
constexpr Duration kSilence = std::chrono::seconds{2};

/// Returns how a body is drawn: by its state in the newest view, or by default after it has left
/// the view.
terminal::DrawnBody drawn_body(const Client& client, const client::PresentedBody& body) {
  const KindTable& kind = client.assets()->game->kinds[body.kind];
  const auto drawn = [&](const void* state) {
    return terminal::DrawnBody{.min = body.min,
                               .size = kind.body(state).size,
                               .look = kind.look(state),
                               .is_own = body.origin == client::Origin::Own};
  };
  const auto* const view = client.view();
  if (view != nullptr) {
    const std::size_t row = view->index_of(body.id);
    if (row != view->size() && view->head(row).kind == body.kind) {
      return drawn(view->state(row).data());
    }
  }
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
  kind.type.write_default(state.data());
  return drawn(state.data());
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

std::vector<client::KeyEvent> TerminalScreen::keys() {
  std::vector<client::KeyEvent> events = decoder_.decode(terminal_->read(), clock_.now());
  const auto stops = [](const client::KeyEvent& event) {
    return event.type == client::KeyEvent::Type::Suspend;
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

std::expected<std::unique_ptr<TerminalView>, std::string> TerminalView::open(
    const TerminalViewOptions& options, const Clock& clock) {
  auto screen = TerminalScreen::open(clock);
  if (!screen) return std::unexpected{std::move(screen.error())};
  return std::unique_ptr<TerminalView>{new TerminalView{options, clock, *std::move(screen)}};
}

TerminalView::TerminalView(TerminalViewOptions options, const Clock& clock,
                           std::unique_ptr<TerminalScreen> screen)
    : options_(std::move(options)),
      clock_(clock),
      screen_(std::move(screen)),
      heard_(clock.now()),
      next_picture_(heard_),
      next_figures_(heard_) {}

client::MakePlayer TerminalView::person() {
  return [this](const engine::GameOnMap& assets) -> std::expected<client::Decide, std::string> {
    bindings_.emplace(*assets.game);
    return [this, game = assets.game](const bots::Seen&) {
      // A key that arrived a moment ago counts in this tick already.
      read_keys();
      const ConstBytes input = bindings_->input(keys_, clock_.now());
      return client::Decision{input, commands_of(*game)};
    };
  };
}

/// Returns the commands of the keys that were pressed, valid until the next call.
std::span<const bots::PlayerCommand> TerminalView::commands_of(const GameTable& game) {
  commands_.clear();
  for (const CommandKeyTable* pressed : bindings_->commands()) {
    const std::size_t bytes = game.commands[pressed->command].type.bytes;
    commands_.push_back({.type = pressed->command,
                         .value = {static_cast<const std::byte*>(pressed->value), bytes}});
  }
  return commands_;
}

bool TerminalView::leaves_by_q() const {
  const auto q = client::key_named("q");
  return !bindings_ || !bindings_->has(*q);
}

void TerminalView::read_keys() {
  const Instant now = clock_.now();
  for (const client::KeyEvent& event : screen_->keys()) {
    handle(event, now);
  }
}

void TerminalView::handle(const client::KeyEvent& event, Instant now) {
  using Type = client::KeyEvent::Type;
  const bool is_q = event.type == Type::Down && event.key == *client::key_named("q");
  if (event.type == Type::Interrupt || (is_q && leaves_by_q())) has_left_ = true;
  keys_.handle(event, now);
}

void TerminalView::turn(Swarm& swarm) {
  screen_->handle_changes();
  read_keys();
  const Instant now = clock_.now();
  if (now < next_picture_ || swarm.client(0) == nullptr) return;
  next_picture_ = now + kPictureTime;
  screen_->show(page(swarm));
}

terminal::Page TerminalView::page(Swarm& swarm) {
  const Client& client = *swarm.client(0);
  const Instant now = clock_.now();
  count_silence(client, now);
  if (now >= next_figures_) update_figures(client, now);
  terminal::Page page{.figures = figures_,
                      .has_alarm = has_alarm_,
                      .scene = {},
                      .message = {},
                      .hints = hints(client)};
  const auto shown = swarm.shown(0);
  const client::Focus focus = client.focus(shown);
  if (client.view() != nullptr && focus.place) {
    page.scene = {.centre = *focus.place,
                  .sight = focus.sight,
                  .walls = client.assets()->map->statics->bodies(),
                  .bodies = drawn(client, shown)};
  }
  const Connection::State state = client.connection().state();
  if (state == Connection::State::Connecting) {
    page.message = client.connection().matches_ended() == 0
                       ? "connecting to " + options_.server
                       : "the match has ended; joining the next one";
  } else if (state == Connection::State::Resuming) {
    page.message = "the server does not answer; trying to resume";
  } else if (!page.scene) {
    page.message = "waiting for the first snapshot";
  }
  return page;
}

std::span<const terminal::DrawnBody> TerminalView::drawn(
    const Client& client, std::span<const client::PresentedBody> shown) {
  bodies_.clear();
  for (const client::PresentedBody& body : shown) {
    bodies_.push_back(drawn_body(client, body));
  }
  return bodies_;
}

void TerminalView::count_silence(const Client& client, Instant now) {
  const std::uint64_t packets = client.connection().use().packets_down;
  if (packets != packets_) heard_ = now;
  packets_ = packets;
}

void TerminalView::update_figures(const Client& client, Instant now) {
  next_figures_ = now + kFiguresTime;
  figures_.clear();
  has_alarm_ = false;
  if (client.connection().sessions() == 0) return;
  const client::ClientStats stats = client.stats();
  has_alarm_ = stats.first_mismatch.has_value();
  figures_.push_back(hash_in_words(stats, client.newest_view()));
  if (now - heard_ >= kSilence) {
    has_alarm_ = true;
    figures_.insert(
        figures_.begin(),
        fmt::format("no answer for {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(now - heard_).count()));
  }
  if (const auto end = client.connection().drains_to()) {
    figures_.insert(
        figures_.begin(),
        fmt::format("the server stops in {} s",
                    std::chrono::ceil<std::chrono::seconds>(std::max(*end - now, Duration::zero()))
                        .count()));
    has_alarm_ = true;
  }
  for (std::string& figure : link_in_words(stats)) {
    figures_.push_back(std::move(figure));
  }
  const Connection& connection = client.connection();
  figures_.push_back(
      fmt::format("{}, player {}", client.assets()->game->name, connection.accept().player.value));
  if (const auto ended = connection.matches_ended(); ended > 0) {
    figures_.back() += fmt::format(", match {}", ended + 1);
  }
}

std::u32string TerminalView::hints(const Client& client) const {
  std::u32string text = leaves_by_q() ? U"q quit" : U"Ctrl-C quit";
  if (!options_.bot.empty()) {
    return text + U"  " + terminal::widened("the bot " + options_.bot + " plays");
  }
  if (client.assets() == nullptr) return text;
  const std::u32string keys = terminal::key_hints(*client.assets()->game);
  return text + U"  " + (keys.empty() ? U"the game has no keys: give --bot" : keys);
}

}  // namespace tickbox::commands
