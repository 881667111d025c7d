#include "client/client.h"

#include "client/connection/silence.h"
#include "client/session.h"
#include "protocol/messages.h"
#include "protocol/snapshot_codec.h"
#include "protocol/view_parts.h"
#include "views/events.h"

#include <algorithm>
#include <utility>

namespace tickbox::client {
namespace {

/// The maximum number of ticks run in one poll. After a pause the clock skips the outdated ticks.
/// Otherwise at most a quarter of a second of ticks is due, which is less than this at the highest
/// tick rate.
constexpr int kTicksPerPollMax = 64;
static_assert(kTicksPerPollMax > engine::kTickRateMax / 4);

net::RefuseReason refusal_for(engine::BuildDifference difference) {
  switch (difference) {
    case engine::BuildDifference::Version:
      return net::RefuseReason::GameVersion;
    case engine::BuildDifference::Rules:
      return net::RefuseReason::GameRules;
    case engine::BuildDifference::Map:
      break;
  }
  return net::RefuseReason::Map;
}

}  // namespace

Client::Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy,
               Shared& shared, Instant now)
    : options_(options),
      shared_(shared),
      connection_(options.connection, transport, entropy, now),
      reporter_(options.desyncs),
      budget_(options.searches_max, now) {}

Client::~Client() = default;

void Client::poll(Instant now) {
  begin_work(now);
  work(now);
  end_work();
}

/// Limits the steps until end_work(). The clients of a thread share one stepper.
void Client::begin_work(Instant now) {
  shared_.stepper.limit({.searches = budget_.at(now)});
}

/// Leaves the server if its bodies have taken too much work. What was stepped is then not what the
/// server has. Returns whether the client goes on.
bool Client::end_work() {
  if (shared_.stepper.gave_up()) {
    connection_.fail("the server's bodies take too much work to step; this client has left");
    return false;
  }
  budget_.set(shared_.stepper.searches_left());
  return true;
}

void Client::work(Instant now) {
  if (session_ != nullptr && session_->clock.begin_turn(now) > 0) follow_clock();
  if (connection_.state() == Connection::State::Connected ||
      connection_.state() == Connection::State::Resuming) {
    waited_to_ = now;
  }
  while (const auto message = connection_.receive(now)) {
    if (!begin_session(now)) return;
    if (message->type == net::PacketType::Snapshot) {
      on_snapshot(message->bytes, now);
    } else if (message->type == net::PacketType::DesyncState) {
      on_desync_state(message->bytes);
    } else {
      connection_.drop(net::DropReason::Unexpected);
    }
    if (!end_work()) return;
  }
  notice_drain(now);
  connection_.update(now);
  reporter_.expire(now);
  if (connection_.state() != Connection::State::Connected || !begin_session(now)) return;
  ClockSync& clock = session_->clock;
  std::optional<Instant> due;
  for (int ran = 0; ran < kTicksPerPollMax && clock.next_due() <= now; ++ran) {
    due = clock.next_due();
    run_tick(now);
    if (!end_work()) return;
  }
  if (!due) return;
  send_inputs(*due);
  // The report follows the inputs, so that it does not overtake their acknowledgements.
  send_report(now);
}

void Client::notice_drain(Instant now) {
  const auto end = connection_.drains_to();
  if (!end || std::exchange(drain_noticed_, connection_.sessions()) == connection_.sessions())
    return;
  if (options_.on_drain) options_.on_drain(*end - now);
}

/// Continues after the clock's newest tick, which is another after a pause.
void Client::follow_clock() {
  session_->inputs.follow_clock();
  session_->prediction.continue_after({session_->clock.next().value - 1});
}

/// Begins the session of the newest ACCEPT, unless it has begun.
/// Fails: false, when this client does not have the server's game or map, or no player for it.
bool Client::begin_session(Instant now) {
  if (begun_ == connection_.sessions()) return true;
  reporter_.give_up();
  if (session_ != nullptr) {
    session_->add_to(stats_, waited_to_);
    stats_.inputs_discarded += session_->inputs.unconfirmed();
  }
  session_.reset();
  auto assets = shared_.assets.find(connection_.accept());
  if (!assets) {
    connection_.refuse(refusal_for(assets.error().what), std::move(assets.error().words));
    return false;
  }
  if (const auto found = find_player(*std::move(assets)); !found) {
    connection_.fail(found.error());
    return false;
  }
  session_ = std::make_unique<ClientSession>(*played_, shared_.stepper, connection_, now);
  begun_ = connection_.sessions();
  return true;
}

/// Makes a player for what the room plays. The player of the last session continues if both
/// sessions are of one match and play the same.
std::expected<void, std::string> Client::find_player(engine::GameOnMap assets) {
  if (decide_ && played_ == assets) return {};
  auto decide = options_.player(assets);
  if (!decide) return std::unexpected{std::move(decide.error())};
  played_ = std::move(assets);
  decide_ = *std::move(decide);
  return {};
}

void Client::on_snapshot(ConstBytes message, Instant now) {
  protocol::Snapshot& snapshot = session_->snapshot;
  const auto reject = [this](net::DropReason reason) {
    ++stats_.snapshots_rejected;
    connection_.drop(reason);
  };
  if (const auto decoded = protocol::decode_snapshot(message, snapshot); !decoded) {
    return reject(decoded.error());
  }
  const auto tick =
      session_->inputs.receive_report(snapshot.head.report, connection_.channel().sent(), now);
  if (!tick) return reject(net::DropReason::Malformed);
  follow_clock();
  session_->inputs.receive_status(snapshot.status);
  if (snapshot.commands) session_->commands.receive_ack(*snapshot.commands);
  if (!read_events(*tick)) return reject(net::DropReason::Malformed);
  const auto view = session_->snapshot_world.apply(
      {.tick = *tick, .base_age = snapshot.head.base_age, .view_hash = snapshot.head.view_hash},
      snapshot.content);
  if (!view) return on_rejected(view.error(), now);
  ++stats_.snapshots_received;
  session_->receipt = snapshot.receipt;
  on_view(*view, now);
}

/// Takes the events of the snapshot that was received last. Fails: false, if they cannot be read.
bool Client::read_events(Tick tick) {
  ClientSession& session = *session_;
  if (!views::read_events(session.game, session.snapshot.events, session.received_events)) {
    return false;
  }
  session.events.receive(session.game, session.received_events, tick,
                         [this](Tick at, const views::Event& event) {
                           ++stats_.events[event.kind];
                           if (options_.on_event) options_.on_event({.tick = at, .event = event});
                         });
  return true;
}

/// Counts a rejected snapshot. After a desync the client holds no view and acknowledges none, so
/// the server sends a full view.
void Client::on_rejected(const Rejected& rejected, Instant now) {
  if (rejected.wrong) {
    ++session_->desyncs;
    reporter_.on_desync(*rejected.wrong, connection_.accept().player, now);
  }
  const bool is_late = !rejected.wrong && rejected.reason == net::DropReason::Unexpected;
  ++(is_late ? stats_.snapshots_late : stats_.snapshots_rejected);
  connection_.drop(rejected.reason);
}

/// Takes a new view: its hash is the server's.
void Client::on_view(const View& view, Instant now) {
  if (session_->view_at) {
    const Duration gap = now - *session_->view_at;
    const Duration period = tick_duration(connection_.accept().tick_rate);
    const bool is_quiet = is_on_time(gap, view.tick - session_->view_tick, period);
    const std::int64_t news = view.news <= view.tick ? (view.tick - view.news) + 1 : 1;
    stats_.add_gap(is_quiet ? std::min(gap, period * news) : gap, gap);
  }
  session_->view_at = now;
  session_->view_tick = view.tick;
  session_->view = view.rows;
  session_->room = view.room;
  stats_.add(session_->prediction.reconcile(view));
  session_->presentation.on_view(view, session_->prediction, now);
  session_->focus.on_view(view);
}

void Client::on_desync_state(ConstBytes message) {
  const auto part = protocol::decode_view_part(message);
  if (!part) return connection_.drop(part.error());
  if (const auto taken = reporter_.receive(*part); !taken) connection_.drop(taken.error());
}

/// Decides the input of the next tick and predicts the own bodies with it.
void Client::run_tick(Instant now) {
  ClientSession& session = *session_;
  const Tick tick = session.clock.next();
  const Instant due = session.clock.next_due();
  const auto [input, commands] = decide_({.tick = tick,
                                          .me = session.player,
                                          .view = *session.view,
                                          .own = session.prediction.own(),
                                          .room = *session.room});
  for (const bots::PlayerCommand& each : commands) {
    static_cast<void>(command(each.type, each.value));
  }
  const Tick seen =
      options_.sees == Sees::Shown ? session.presentation.shown_tick(now) : session.view_tick;
  const auto look_back = static_cast<std::uint8_t>(std::clamp<std::int64_t>(tick - seen, 0, 0xff));
  session.prediction.predict(tick, input);
  session.inputs.add(tick, {.input = input, .look_back = look_back});
  session.clock.ran();
  session.presentation.on_tick(session.prediction, due, session.clock.next_due());
  session.presentation.count_tick(now);
  ++stats_.ticks;
  if (options_.on_input) options_.on_input(tick, input);
}

/// Sends the inputs with all acknowledgements. `due`: of the newest input.
void Client::send_inputs(Instant due) {
  protocol::InputMessage& message = input_message_;
  message.events = session_->events.newest();
  message.view = session_->ack();
  message.mismatches = session_->desyncs;
  session_->inputs.write(message);
  session_->commands.write(message);
  session_->inputs.on_sent(
      connection_.send(net::PacketType::Input, protocol::encode_input(message, message_buffer_)),
      due);
}

void Client::send_report(Instant now) {
  const auto part = reporter_.next_part(now);
  if (!part) return;
  connection_.send(net::PacketType::DesyncReport,
                   protocol::encode_view_part(*part, message_buffer_));
}

Instant Client::next_wakeup() const {
  const Instant connection = connection_.next_wakeup();
  return session_ ? std::min(session_->clock.next_due(), connection) : connection;
}

bool Client::command(std::uint8_t type, ConstBytes value) {
  const bool has_session =
      session_ != nullptr && connection_.state() == Connection::State::Connected;
  if (!has_session || !session_->commands.add(type, value)) return false;
  if (options_.on_command) options_.on_command(type, value);
  return true;
}

void Client::leave() {
  reporter_.give_up();
  connection_.leave();
}

void Client::connect_again(const net::ConnectToken& token, Instant now) {
  decide_ = nullptr;
  connection_.connect_again(token, now);
}

bool Client::playing() const {
  return session_ && !session_->prediction.own().empty();
}

std::span<const PresentedBody> Client::shown(Instant now) {
  if (!session_) return {};
  begin_work(now);
  const std::span<const PresentedBody> bodies = session_->presentation.shown(now);
  return end_work() ? bodies : std::span<const PresentedBody>{};
}

Tick Client::shown_tick(Instant now) const {
  return session_ ? session_->presentation.shown_tick(now) : Tick{};
}

Focus Client::focus(std::span<const PresentedBody> shown) const {
  if (!session_) return {};
  return {.place = session_->focus.place(shown), .sight = session_->focus.sight()};
}

const views::Rows* Client::view() const {
  return session_ && session_->view_at ? session_->view.get() : nullptr;
}

Tick Client::view_tick() const {
  return session_ ? session_->view_tick : Tick{};
}

Tick Client::newest_view() const {
  return session_ ? session_->newest_view() : Tick{};
}

Client::InputsHeard Client::inputs_heard() const {
  if (!session_) return {};
  return {.tick = session_->inputs.room_tick(), .complete_to = session_->inputs.complete_to()};
}

ClientStats Client::stats() const {
  ClientStats stats = stats_;
  stats.inputs_sent = stats.ticks;
  stats.hashes_mismatched = reporter_.desyncs();
  stats.hashes_checked = stats.snapshots_received + stats.hashes_mismatched;
  stats.first_mismatch = reporter_.first_mismatch();
  if (session_ != nullptr) {
    session_->add_to(stats, waited_to_);
    stats.up_sent = session_->inputs.counts().packets_sent;
    stats.up_arrived = session_->inputs.counts().packets_arrived;
  }
  stats.down_sent = connection_.channel().received().newest();
  stats.down_arrived = connection_.channel().received().count();
  stats.packets_lost = stats.down_sent - std::min(stats.down_sent, stats.down_arrived);
  return stats;
}

}  // namespace tickbox::client
