#include "client/commands/connect/terminal_view.h"

#include "client/commands/connect/play_figures.h"
#include "client/commands/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tickbox::commands {
namespace {

using client::Client;
using client::Connection;

/// The time between two pictures. A camera that follows a body moves by about a pixel in it.
constexpr Duration kPictureTime = std::chrono::milliseconds{33};

/// The time between two changes of the figures: a person cannot read faster.
constexpr Duration kFiguresTime = std::chrono::milliseconds{250};

/// The silence after which the first figure reports it. A server sends ten packets a second.
constexpr Duration kSilence = std::chrono::seconds{2};

/// The size of a terminal that does not know its own.
constexpr terminal::Size kSizeDefault{.columns = 80, .rows = 24};

terminal::Size size_of(const os::Terminal& terminal) {
  const os::TerminalSize size = terminal.size();
  if (size.columns == 0 || size.rows == 0) return kSizeDefault;
  return {.columns = static_cast<std::uint16_t>(size.columns),
          .rows = static_cast<std::uint16_t>(size.rows)};
}

/// Returns the size of a body: by its state in the newest view, or by default after it has left
/// the view.
Vec2 size_of(const Client& client, const client::PresentedBody& body) {
  const KindTable& kind = client.assets()->game->kinds[body.kind];
  const auto* const view = client.view();
  if (view != nullptr) {
    const std::size_t row = view->index_of(body.id);
    if (row != view->size() && view->head(row).kind == body.kind) {
      return kind.body(view->state(row).data()).size;
    }
  }
  alignas(std::uint64_t) std::array<std::byte, kTypeBytesMax> state{};
  kind.type.write_default(state.data());
  return kind.body(state.data()).size;
}

}  // namespace

std::expected<std::unique_ptr<TerminalView>, std::string> TerminalView::open(
    const TerminalViewOptions& options, const Clock& clock) {
  auto terminal = os::Terminal::open({.begin = terminal::kBegin, .end = terminal::kEnd});
  if (!terminal) return std::unexpected{std::move(terminal.error())};
  return std::unique_ptr<TerminalView>{new TerminalView{options, clock, *std::move(terminal)}};
}

TerminalView::TerminalView(TerminalViewOptions options, const Clock& clock,
                           std::unique_ptr<os::Terminal> terminal)
    : options_(std::move(options)),
      clock_(clock),
      terminal_(std::move(terminal)),
      colours_(os::wants_no_colour() ? terminal::Colours::None : terminal::Colours::All),
      heard_(clock.now()),
      next_picture_(heard_),
      next_figures_(heard_) {}

client::MakePlayer TerminalView::person() {
  return [this](const client::Assets& assets) -> std::expected<client::Decide, std::string> {
    bindings_.emplace(*assets.game);
    return [this](const bots::Seen&) {
      // A key that arrived a moment ago counts in this tick already.
      read_keys();
      return bindings_->input(keys_, clock_.now());
    };
  };
}

bool TerminalView::leaves_by_q() const {
  const auto q = terminal::key_named("q");
  return !bindings_ || !bindings_->has(*q);
}

void TerminalView::read_keys() {
  const Instant now = clock_.now();
  for (const terminal::KeyEvent& event : decoder_.decode(terminal_->read(), now)) {
    take(event, now);
  }
}

void TerminalView::take(const terminal::KeyEvent& event, Instant now) {
  using Type = terminal::KeyEvent::Type;
  const bool is_q = event.type == Type::Down && event.key == *terminal::key_named("q");
  if (event.type == Type::Interrupt || (is_q && leaves_by_q())) has_left_ = true;
  if (event.type == Type::Suspend) terminal_->request_stop();
  keys_.take(event, now);
}

void TerminalView::turn(Swarm& swarm) {
  if (terminal_->take_changes()) screen_ = {};
  read_keys();
  const Instant now = clock_.now();
  if (now < next_picture_ || swarm.client(0) == nullptr) return;
  next_picture_ = now + kPictureTime;
  if (!terminal_->flush()) return;
  terminal::Screen next = terminal::draw(page(swarm), size_of(*terminal_), colours_);
  terminal_->write(terminal::difference(screen_, next, colours_));
  screen_ = std::move(next);
}

terminal::Page TerminalView::page(Swarm& swarm) {
  const Client& client = *swarm.client(0);
  const Instant now = clock_.now();
  count_silence(client, now);
  if (now >= next_figures_) renew_figures(client, now);
  terminal::Page page{.figures = figures_,
                      .has_alarm = has_alarm_,
                      .scene = {},
                      .message = {},
                      .hints = hints(client)};
  const auto shown = swarm.shown(0);
  const client::Focus focus = client.focus(shown);
  if (client.view() != nullptr && focus.place) {
    page.scene = scene(swarm, focus.sight, *focus.place);
  }
  const Connection::State state = client.connection().state();
  if (state == Connection::State::Connecting) {
    page.message = "connecting to " + options_.server;
  } else if (state == Connection::State::Resuming) {
    page.message = "the server does not answer; trying to resume";
  } else if (!page.scene) {
    page.message = "waiting for the first snapshot";
  }
  return page;
}

terminal::Scene TerminalView::scene(Swarm& swarm, Vec2 sight, Vec2 centre) {
  const Client& client = *swarm.client(0);
  bodies_.clear();
  for (const client::PresentedBody& body : swarm.shown(0)) {
    bodies_.push_back({.min = body.min,
                       .size = size_of(client, body),
                       .look = client.assets()->game->kinds[body.kind].look,
                       .is_own = body.origin == client::Origin::Own});
  }
  return {.centre = centre,
          .sight = sight,
          .walls = client.assets()->map->statics->bodies(),
          .bodies = bodies_};
}

void TerminalView::count_silence(const Client& client, Instant now) {
  const std::uint64_t packets = client.connection().use().packets_down;
  if (packets != packets_) heard_ = now;
  packets_ = packets;
}

void TerminalView::renew_figures(const Client& client, Instant now) {
  next_figures_ = now + kFiguresTime;
  figures_.clear();
  has_alarm_ = false;
  if (client.connection().sessions() == 0) return;
  const client::ClientStats stats = client.stats();
  has_alarm_ = stats.first_mismatch || stats.first_audit_mismatch;
  figures_.push_back(hash_in_words(stats, client.newest_view()));
  if (now - heard_ >= kSilence) {
    has_alarm_ = true;
    figures_.insert(
        figures_.begin(),
        fmt::format("no answer for {} s",
                    std::chrono::duration_cast<std::chrono::seconds>(now - heard_).count()));
  }
  for (std::string& figure : link_in_words(stats)) {
    figures_.push_back(std::move(figure));
  }
  figures_.push_back(fmt::format("{}, player {}", client.assets()->game->name,
                                 client.connection().accept().player.value));
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
