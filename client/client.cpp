#include "client/client.h"

#include "client/connection/clock_sync.h"
#include "client/connection/sent_inputs.h"
#include "client/match/prediction.h"
#include "client/match/snapshot_world.h"
#include "client/presentation/presentation.h"
#include "core/clock.h"
#include "net/handshake.h"
#include "protocol/messages.h"
#include "protocol/snapshot.h"
#include "views/events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

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

engine::Identity identity_of(const net::Accept& accept) {
  return {.game = accept.game,
          .version = accept.game_version,
          .game_hash = accept.game_hash,
          .map_seats = accept.map_seats,
          .map_hash = accept.map_hash};
}

/// Returns an empty world of the room's game, map, tick rate and shared seed.
engine::World world_like(const engine::GameOnMap& assets, const net::Accept& accept) {
  engine::World world{*assets.game, assets.map, assets.tick_rate, 0};
  world.shared_seed = accept.shared_seed;
  return world;
}

Player player_of(const net::Accept& accept) {
  return {accept.player.value};
}

}  // namespace

// The state of one session of a client. The next session starts with a new state.

/// What a full client has of a session beside a light one: the views, the prediction of its own
/// bodies, and what is shown.
struct ClientWorld {
  /// `assets`: those that `accept` names. Borrows `stepper`.
  ClientWorld(const engine::GameOnMap& assets, const net::Accept& accept, engine::Stepper& stepper);

  /// Takes a new view, and returns how the prediction compares with it.
  Reconciliation on_view(const View& taken, Instant now);

  /// Predicts a tick with an input at `now`. The tick was due at `due`, the next is at `next_due`.
  void predict(Tick tick, ConstBytes input, Instant now, Instant due, Instant next_due);

  /// Adds the counts of this world.
  void add_to(ClientCounts& counts) const;

  SnapshotWorld snapshot_world;
  Prediction prediction;
  Presentation presentation;
  ViewFocus focus;
  /// The entities of the newest view, by id, and the room's state; empty before the first view.
  std::shared_ptr<const views::Rows> view;
  std::shared_ptr<const std::vector<std::byte>> room;
  std::optional<Instant> view_at;  ///< arrival of the newest view
};

struct ClientSession {
  /// Borrows `round_trip`, to which its inputs add.
  ClientSession(const engine::GameOnMap& assets, const Connection& connection,
                SharedHistogram& round_trip, Instant now);

  /// Adds the counts of this session.
  void add_to(ClientCounts& counts) const;

  /// Adds the gap between the newest view and `view`, which arrives at `now`, if there is one.
  /// Requires: a full client.
  void add_gap_before(const View& view, SharedHistogram& snapshot_gap, Instant now) const;

  /// Adds, in microseconds, what has waited for the server until `now`.
  void add_waits(SharedHistogram& round_trip, SharedHistogram& snapshot_gap, Instant now) const;

  const GameTable& game;
  Player player;
  Duration period;  ///< of a tick
  ClockSync clock;
  SentInputs inputs;
  SentCommands commands;
  protocol::Snapshot snapshot;  ///< the one that was received last
  views::ReceivedEvents received_events;
  EventInbox events;
  /// The acknowledgement of the newest view; nothing before the first, and after a view with a
  /// wrong hash.
  std::optional<protocol::ViewAck> ack;
  Tick view_tick;                      ///< tick of the newest view
  std::uint32_t desyncs = 0;           ///< views with a wrong hash
  std::unique_ptr<ClientWorld> world;  ///< nullptr in a light client
};

ClientWorld::ClientWorld(const engine::GameOnMap& assets, const net::Accept& accept,
                         engine::Stepper& stepper)
    : snapshot_world(world_like(assets, accept), player_of(accept), stepper),
      prediction(world_like(assets, accept), player_of(accept), stepper),
      presentation(world_like(assets, accept), player_of(accept), stepper),
      focus(player_of(accept)),
      view(std::make_shared<views::Rows>(*assets.game)),
      room(std::make_shared<std::vector<std::byte>>()) {}

Reconciliation ClientWorld::on_view(const View& taken, Instant now) {
  view_at = now;
  view = taken.rows;
  room = taken.room;
  const Reconciliation reconciliation = prediction.reconcile(taken);
  presentation.on_view(taken, prediction, now);
  focus.on_view(taken);
  return reconciliation;
}

void ClientWorld::predict(Tick tick, ConstBytes input, Instant now, Instant due, Instant next_due) {
  prediction.predict(tick, input);
  presentation.on_tick(prediction, due, next_due);
  presentation.count_tick(now);
}

void ClientWorld::add_to(ClientCounts& counts) const {
  const PresentationCounts& shown = presentation.counts();
  counts.ticks_shown += shown.ticks;
  counts.ticks_extrapolated += shown.extrapolated;
  counts.ticks_extrapolated_wrong += shown.extrapolated_wrong;
  counts.presentation_delay += shown.delay;
  counts.replayed += snapshot_world.steps();
}

ClientSession::ClientSession(const engine::GameOnMap& assets, const Connection& connection,
                             SharedHistogram& round_trip, Instant now)
    : game(*assets.game),
      player{connection.accept().player.value},
      period(tick_duration(assets.tick_rate)),
      clock(assets.tick_rate, connection.accept().tick, connection.connect_time(), now),
      inputs(game, clock, assets.tick_rate, connection.accept().tick, round_trip),
      commands(game) {}

void ClientSession::add_to(ClientCounts& counts) const {
  counts.inputs_late += inputs.counts().late;
  counts.inputs_substituted += inputs.counts().substituted;
  counts.inputs_discarded += inputs.counts().discarded;
  if (world) world->add_to(counts);
}

void ClientSession::add_gap_before(const View& view, SharedHistogram& snapshot_gap,
                                   Instant now) const {
  if (!world->view_at) return;
  const Duration gap = now - *world->view_at;
  const bool is_quiet = is_on_time(gap, view.tick - view_tick, period);
  const std::int64_t news = view.news <= view.tick ? (view.tick - view.news) + 1 : 1;
  add_gap(snapshot_gap, is_quiet ? std::min(gap, period * news) : gap, gap);
}

void ClientSession::add_waits(SharedHistogram& round_trip, SharedHistogram& snapshot_gap,
                              Instant now) const {
  inputs.add_waiting(round_trip, now);
  if (!world || !world->view_at) return;
  const Duration gap = now - *world->view_at;
  if (gap >= kSilence) add_gap(snapshot_gap, gap, gap);
}

Client::Client(const ClientOptions& options, net::Transport& transport, Entropy& entropy,
               Shared& shared, Instant now)
    : options_(options),
      shared_(shared),
      own_distributions_(shared.distributions == nullptr ? std::make_unique<Distributions>()
                                                         : nullptr),
      distributions_(own_distributions_ ? *own_distributions_ : *shared.distributions),
      connection_(options.connection, transport, entropy, now),
      reporter_(options.desyncs),
      budget_(options.searches_max, now) {}

Client::~Client() = default;

void Client::poll(Instant now) {
  begin_work(now);
  work(now);
  end_work(now);
}

/// Limits the steps until end_work(). The clients of a thread share one stepper.
void Client::begin_work(Instant now) {
  shared_.stepper.limit({.searches = budget_.at(now)});
}

/// Leaves the server if its bodies have taken too much work. What was stepped is then not what the
/// server has. Returns whether the client goes on.
bool Client::end_work(Instant now) {
  if (shared_.stepper.gave_up()) {
    connection_.fail("the server's bodies take too much work to step; this client has left", now);
    return false;
  }
  budget_.set(shared_.stepper.searches_left());
  return true;
}

void Client::work(Instant now) {
  if (session_ != nullptr && session_->clock.begin_turn(now) > 0) follow_clock();
  if (connection_.state() == Connection::State::Connected ||
      connection_.state() == Connection::State::Resuming || connection_.is_moving()) {
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
    if (!end_work(now)) return;
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
    if (!end_work(now)) return;
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
  if (session_->world) {
    session_->world->prediction.continue_after({session_->clock.next().value - 1});
  }
}

/// Begins the session of the newest ACCEPT, unless it has begun.
/// Fails: false, when this client does not have the server's game or map, or no player for it. The
/// session before is then as it was: the connection may return to its server.
bool Client::begin_session(Instant now) {
  if (begun_ == connection_.sessions()) return true;
  auto assets = shared_.assets.find(connection_.accept());
  if (!assets) {
    connection_.refuse(refusal_for(assets.error().what), std::move(assets.error().words), now);
    return false;
  }
  if (const auto found = find_player(*std::move(assets)); !found) {
    connection_.fail(found.error(), now);
    return false;
  }
  reporter_.give_up();
  if (session_ != nullptr) {
    session_->add_to(counts_);
    session_->add_waits(round_trip_, snapshot_gap_, waited_to_);
    counts_.inputs_discarded += session_->inputs.unconfirmed();
  }
  session_.reset();
  session_ = std::make_unique<ClientSession>(*played_, connection_, round_trip_, now);
  if (options_.mode == ClientMode::Full) begin_world();
  begun_ = connection_.sessions();
  return true;
}

void Client::begin_world() {
  session_->world = std::make_unique<ClientWorld>(*played_, connection_.accept(), shared_.stepper);
}

/// Makes a player for what the room plays. The player of the last session continues in the same
/// seat, if both sessions play the same.
std::expected<void, std::string> Client::find_player(engine::GameOnMap assets) {
  if (decide_ && seat_ == connection_.began_in_seat() && played_ == assets) return {};
  auto decide = options_.player(assets);
  if (!decide) return std::unexpected{std::move(decide.error())};
  played_ = std::move(assets);
  decide_ = *std::move(decide);
  seat_ = connection_.began_in_seat();
  return {};
}

void Client::on_snapshot(ConstBytes message, Instant now) {
  protocol::Snapshot& snapshot = session_->snapshot;
  const auto reject = [this](net::DropReason reason) {
    ++counts_.snapshots_rejected;
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
  const auto taken = apply_snapshot(
      {.tick = *tick, .base_age = snapshot.head.base_age, .view_hash = snapshot.head.view_hash},
      snapshot.content, now);
  if (!taken) return on_rejected(taken.error(), now);
  ++counts_.snapshots_received;
  session_->ack = {.tick = *tick, .receipt = snapshot.receipt};
  session_->view_tick = *tick;
}

/// Makes the view of a snapshot. A light client takes the snapshot unseen, if it is a newer one.
std::expected<void, Rejected> Client::apply_snapshot(const ViewHead& head, ConstBytes content,
                                                     Instant now) {
  if (session_->world) {
    const auto view = session_->world->snapshot_world.apply(head, content);
    if (!view) return std::unexpected{view.error()};
    on_view(*view, now);
    return {};
  }
  const auto newest =
      session_->ack.transform([](const protocol::ViewAck& ack) { return ack.tick; });
  if (auto rejected = reject_head(head, newest)) return std::unexpected{*std::move(rejected)};
  return {};
}

/// Takes the events of the snapshot that was received last. Fails: false, if they cannot be read.
bool Client::read_events(Tick tick) {
  ClientSession& session = *session_;
  if (!views::read_events(session.game, session.snapshot.events, session.received_events)) {
    return false;
  }
  session.events.receive(session.game, session.received_events, tick,
                         [this](Tick at, const views::Event& event) {
                           ++counts_.events[event.kind];
                           if (options_.on_event) options_.on_event({.tick = at, .event = event});
                         });
  return true;
}

/// Counts a rejected snapshot. After a desync the client holds no view and acknowledges none, so
/// the server sends a full view.
void Client::on_rejected(const Rejected& rejected, Instant now) {
  if (rejected.wrong) {
    ++session_->desyncs;
    session_->ack.reset();
    reporter_.on_desync(*rejected.wrong, connection_.accept().player, now);
  }
  const bool is_late = !rejected.wrong && rejected.reason == net::DropReason::Unexpected;
  ++(is_late ? counts_.snapshots_late : counts_.snapshots_rejected);
  connection_.drop(rejected.reason);
}

/// Takes a new view: its hash is the server's.
void Client::on_view(const View& view, Instant now) {
  session_->add_gap_before(view, snapshot_gap_, now);
  ++counts_.hashes_checked;
  const Reconciliation reconciliation = session_->world->on_view(view, now);
  counts_.add(reconciliation);
  if (reconciliation.predicted) distributions_.prediction_error.add(reconciliation.error);
}

void Client::on_desync_state(ConstBytes message) {
  const auto part = protocol::decode_view_part(message);
  if (!part) return connection_.drop(part.error());
  if (const auto taken = reporter_.receive(*part); !taken) connection_.drop(taken.error());
}

/// Decides the input of the next tick and predicts the own bodies with it.
void Client::run_tick(Instant now) {
  static const views::Rows kUnseen;
  ClientSession& session = *session_;
  ClientWorld* const world = session.world.get();
  const Tick tick = session.clock.next();
  const Instant due = session.clock.next_due();
  const auto [input, commands] =
      decide_({.tick = tick,
               .me = session.player,
               .view = world != nullptr ? *world->view : kUnseen,
               .own = world != nullptr ? world->prediction.own() : kUnseen,
               .room = world != nullptr ? ConstBytes{*world->room} : ConstBytes{}});
  for (const bots::PlayerCommand& each : commands) {
    static_cast<void>(command(each.type, each.value));
  }
  const bool is_shown = world != nullptr && options_.sees == Sees::Shown;
  const Tick seen = is_shown ? world->presentation.shown_tick(now) : session.view_tick;
  const auto look_back = static_cast<std::uint8_t>(std::clamp<std::int64_t>(tick - seen, 0, 0xff));
  session.inputs.add(tick, {.input = input, .look_back = look_back});
  session.clock.ran();
  if (world != nullptr) world->predict(tick, input, now, due, session.clock.next_due());
  ++counts_.ticks;
  if (options_.on_input) options_.on_input(tick, input);
}

/// Sends the inputs with all acknowledgements. `due`: of the newest input.
void Client::send_inputs(Instant due) {
  protocol::InputMessage& message = input_message_;
  message.events = session_->events.newest();
  message.view = session_->ack;
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

void Client::connect_again(const net::ConnectToken& token, Instant now,
                           const std::optional<net::Address>& server) {
  connection_.connect_again(token, now, server);
}

bool Client::playing() const {
  return world() != nullptr && !world()->prediction.own().empty();
}

ClientWorld* Client::world() const {
  return session_ ? session_->world.get() : nullptr;
}

std::span<const PresentedBody> Client::shown(Instant now) {
  if (world() == nullptr) return {};
  begin_work(now);
  const std::span<const PresentedBody> bodies = world()->presentation.shown(now);
  return end_work(now) ? bodies : std::span<const PresentedBody>{};
}

Tick Client::shown_tick(Instant now) const {
  return world() != nullptr ? world()->presentation.shown_tick(now) : Tick{};
}

Focus Client::focus(std::span<const PresentedBody> shown) const {
  if (world() == nullptr) return {};
  return {.place = world()->focus.place(shown), .sight = world()->focus.sight()};
}

const views::Rows* Client::view() const {
  return world() != nullptr && world()->view_at ? world()->view.get() : nullptr;
}

const views::Rows* Client::own() const {
  return view() != nullptr ? &world()->prediction.own() : nullptr;
}

ConstBytes Client::room() const {
  return view() != nullptr ? ConstBytes{*world()->room} : ConstBytes{};
}

Tick Client::view_tick() const {
  return session_ ? session_->view_tick : Tick{};
}

Tick Client::newest_view() const {
  return session_ && session_->ack ? session_->ack->tick : Tick{};
}

Client::InputsHeard Client::inputs_heard() const {
  if (!session_) return {};
  return {.tick = session_->inputs.room_tick(), .complete_to = session_->inputs.complete_to()};
}

ClientStats Client::stats() const {
  ClientStats stats;
  stats.add_distributions(distributions_);
  stats.add_counts(counts(stats));
  return stats;
}

ClientCounts Client::counts(Distributions& waits) const {
  ClientCounts counts = counts_;
  counts.inputs_sent = counts.ticks;
  counts.hashes_mismatched = reporter_.desyncs();
  counts.hashes_checked += counts.hashes_mismatched;
  counts.first_mismatch = reporter_.first_mismatch();
  counts.own_round_trips = round_trip_.own();
  counts.own_snapshot_gaps = snapshot_gap_.own();
  if (session_ != nullptr) {
    session_->add_to(counts);
    SharedHistogram round_trip{waits.round_trip};
    SharedHistogram snapshot_gap{waits.snapshot_gap};
    session_->add_waits(round_trip, snapshot_gap, waited_to_);
    counts.own_round_trips.add_all(round_trip.own());
    counts.own_snapshot_gaps.add_all(snapshot_gap.own());
    counts.up_sent = session_->inputs.counts().packets_sent;
    counts.up_arrived = session_->inputs.counts().packets_arrived;
  }
  counts.down_sent = connection_.channel().received().newest();
  counts.down_arrived = connection_.channel().received().count();
  counts.packets_lost = counts.down_sent - std::min(counts.down_sent, counts.down_arrived);
  return counts;
}

std::expected<engine::GameOnMap, engine::OtherBuild> AssetCache::find(const net::Accept& accept) {
  const Played played{identity_of(accept), accept.tick_rate};
  for (const Kept& each : kept_) {
    if (each.played != played) continue;
    engine::SharedMap map = each.map.lock();
    if (map == nullptr) continue;
    return engine::GameOnMap{each.game, std::move(map), accept.tick_rate};
  }
  if (refused_ && refused_->first == played) return std::unexpected{refused_->second};
  auto found = engine::find_game_on_map(games_, played.first, accept.tick_rate, "the server");
  if (!found) {
    refused_ = {played, found.error()};
    return std::unexpected{std::move(found.error())};
  }
  std::erase_if(kept_, [](const Kept& each) { return each.map.expired(); });
  kept_.push_back({.played = played, .game = found->game, .map = found->map});
  return found;
}

}  // namespace tickbox::client
