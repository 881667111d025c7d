#include "tests/support/harness.h"

#include "core/assert.h"
#include "engine/entity_id.h"
#include "games/arena/arena.h"
#include "net/handshake.h"

#include <algorithm>
#include <utility>

namespace tickbox::tests {
namespace {

/// A drift is in parts per million.
constexpr std::int64_t kDriftUnit = 1'000'000;
/// Less than the ids of the harness's own clients, more than those that tests choose.
constexpr std::uint64_t kClientIds = 10'000'000;
/// More than a test's match records. A vector that grows would count as an allocation of the
/// server.
constexpr std::size_t kRecordingBytes = std::size_t{4} * 1024 * 1024;

}  // namespace

Harness::Harness(const HarnessOptions& options, NotStarted /*tag*/)
    : options_(options),
      entropy_(options.seed),
      game_(options.game != nullptr ? options.game : &games::arena()),
      shared_({&game_, 1}),
      map_(engine::make_map(*game_, {.seats = options.max_clients, .name = options.map},
                            options.tick_rate)),
      identity_(engine::identity_of(*game_, map_, options.tick_rate)) {
  TICKBOX_ASSERT(net::crypto_ready());
}

Harness::Harness(const HarnessOptions& options) : Harness(options, NotStarted{}) {
  start_match(options_.seed);
  sink_.bytes.reserve(kRecordingBytes);
  recorder_.emplace(*match_, header());
  recording_.emplace(sink_, header());
  recorder_->add(*recording_);
  start_shard(parts());
}

void Harness::restart_server() {
  recorder_.reset();
  start_match(options_.seed);
  start_shard(parts());
}

server::ShardParts Harness::parts() {
  return {.transport = network_.server(),
          .entropy = entropy_,
          .calendar = calendar_,
          .log = log_,
          .rooms = {{.match = *match_, .recorder = recorder_ ? &*recorder_ : nullptr}},
          .desyncs = &desyncs_};
}

void Harness::start_match(std::uint64_t seed) {
  shard_.reset();
  match_ = std::make_unique<server::Match>(*game_, map_, options_.tick_rate, seed);
  pacer_.emplace(server_now(), options_.tick_rate);
}

record::Header Harness::header() const {
  return {.schema_hash = net::schema_hash(),
          .map_hash = identity_.map_hash,
          .seed = options_.seed,
          .tick_rate = options_.tick_rate,
          .map_seats = identity_.map_seats,
          .game = identity_.game,
          .game_version = identity_.version,
          .game_hash = identity_.game_hash};
}

void Harness::start_shard(const server::ShardParts& parts) {
  shard_ = std::make_unique<server::Shard>(
      server::ShardOptions{.tick_rate = options_.tick_rate,
                           .snapshot_rate = options_.snapshot_rate,
                           .snapshot_rate_far = options_.snapshot_rate_far,
                           .plan_work = options_.plan_work,
                           .max_clients = options_.max_clients,
                           .snapshot_bytes = options_.snapshot_bytes,
                           .tick_end = options_.tick_end,
                           .best_cipher = options_.server_cipher,
                           .admission = {.keys = options_.keys,
                                         .addresses = {SimulatedNetwork::server_address()},
                                         .seats_per_client = options_.seats_per_client}},
      parts, server_now());
}

net::ConnectToken Harness::make_token(const net::TokenClaims& claims, const WallClock& calendar,
                                      const net::KeyRing& keys) {
  net::TokenClaims here = claims;
  here.servers.push_back(SimulatedNetwork::server_address());
  return net::issue_token(here, calendar.now(), calendar.now() + std::chrono::minutes{1}, keys,
                          token_entropy_);
}

net::ConnectToken Harness::make_token(std::uint64_t client) {
  return make_token({.client = client});
}

net::ConnectToken Harness::make_token(const net::TokenClaims& claims) {
  return make_token(claims, calendar_, options_.keys);
}

std::size_t Harness::add_client() {
  return add_client(options_.link);
}

std::size_t Harness::add_client(const net::LinkConditions& link) {
  return add_client(link, make_token(kClientIds + players_.size() + 1));
}

std::size_t Harness::add_client(const net::LinkConditions& link, const net::ConnectToken& token) {
  const std::size_t index = players_.size();
  net::LinkConditions own_link = link;
  own_link.seed = options_.seed * 1'000 + index;
  add_player(own_link);
  restart_client(index, {.server = SimulatedNetwork::server_address(), .token = token});
  return index;
}

Harness::Player& Harness::add_player(const net::LinkConditions& link) {
  const std::size_t index = players_.size();
  Player& player = players_.emplace_back();
  player.entropy = std::make_unique<SeededEntropy>(options_.seed * 1'000 + index);
  player.transport = &network_.add_client(link);
  player.game = options_.client_game ? options_.client_game(index) : nullptr;
  if (player.game != nullptr) {
    player.shared = std::make_unique<client::Shared>(engine::Games{&player.game, 1});
  }
  return player;
}

void Harness::restart_with_ticket(std::size_t client) {
  restart_client(client, {.server = SimulatedNetwork::server_address(),
                          .ticket = players_[client].client->connection().ticket()});
}

void Harness::restart_client(std::size_t client, const client::ConnectionOptions& connection) {
  Player& player = players_[client];
  client::ConnectionOptions with_cipher = connection;
  with_cipher.best_cipher = options_.client_cipher;
  wake(client);
  start_client(client,
               {.connection = with_cipher,
                .on_input =
                    [&player](Tick tick, ConstBytes input) {
                      player.inputs.emplace(tick,
                                            std::vector<std::byte>{input.begin(), input.end()});
                    },
                .on_event =
                    [&player](const client::MatchEvent& heard) {
                      const views::Event& event = heard.event;
                      player.events.push_back({.tick = heard.tick,
                                               .kind = event.kind,
                                               .player = event.player,
                                               .bytes = {event.bytes.begin(), event.bytes.end()}});
                    },
                .on_drain = [&player](Duration left) { player.drains.push_back(left); },
                .desyncs = &player.desyncs});
}

void Harness::start_client(std::size_t client, client::ClientOptions options) {
  Player& player = players_[client];
  options.player = options_.player
                       ? options_.player(client)
                       : client::bot_player(options_.bot, client, options_.seed * 1'000 + client);
  options.mode = options_.mode;
  options.sees = options_.sees;
  options.searches_max = options_.client_searches_max;
  client::Shared& shared = player.shared ? *player.shared : shared_;
  player.began = now();
  player.client = std::make_unique<client::Client>(options, *player.transport, *player.entropy,
                                                   shared, time_of(player));
}

BodyId Harness::body_of(std::size_t client) const {
  const PlayerId seat = players_[client].client->connection().accept().player;
  const std::size_t row = world().avatar_of({seat.value});
  TICKBOX_ASSERT(row != world().size());
  return world().id(row);
}

Instant Harness::time_of(const Player& player) const {
  return now() + player.ahead;
}

void Harness::advance_clocks() {
  clock_.advance(kStep);
  server_ahead_ += kStep * server_drift_ppm_ / kDriftUnit;
  for (Player& player : players_)
    player.ahead += kStep * player.drift_ppm / kDriftUnit;
}

void Harness::run_for(Duration duration) {
  for (Duration passed{}; passed < duration; passed += kStep) {
    advance_clocks();
    for (std::size_t i = 0; i < players_.size(); ++i) {
      drive_client(i);
    }
    drive_server();
  }
}

bool Harness::drive_client(std::size_t client) {
  Player& player = players_[client];
  if (now() < player.paused_until || now() < player.next_turn) return false;
  const Instant own_time = time_of(player);
  const bool is_due = player.turn > Duration::zero() || own_time >= player.client->next_wakeup() ||
                      network_.has_arrived(client);
  if (!is_due) return false;
  player.client->poll(own_time);
  player.next_turn = now() + player.turn;
  return true;
}

std::uint64_t Harness::meter() const {
  return options_.meter != nullptr ? options_.meter() : 0;
}

void Harness::drive_server() {
  const Instant own_time = server_now();
  const bool is_due =
      pacer_->next() <= own_time || (!drains_at_ticks_ && network_.has_arrived_at_server());
  if (!is_due || now() < stalled_until_) return;
  const std::uint64_t before = meter();
  shard_->receive(own_time, pacer_->next());
  const std::int64_t due = pacer_->due(own_time);
  for (std::int64_t i = 0; i < due; ++i) {
    tick();
    if (i + 1 < due) pass_tick_time();
  }
  const std::uint64_t ticked = meter();
  if (due > 0) {
    shard_->send(own_time);
    pass_tick_time();
  }
  const std::uint64_t sent = meter();
  metered_ += sent - before;
  metered_sending_ += sent - ticked;
}

/// Keeps the server busy for the time of the tick that it has just run.
void Harness::pass_tick_time() {
  if (!options_.tick_time) return;
  const server::TickTime time = options_.tick_time(*shard_);
  shard_->add_tick_time(time, server_now());
  stalled_until_ = std::max(stalled_until_, now()) + time.sending + time.rest;
}

void Harness::tick() {
  shard_->tick(server_now());
  pacer_->ran();
}

void Harness::stop() {
  shard_->stop(server_now());
  run_for(std::chrono::seconds{1});
  if (!recorder_) return;
  recorder_->finish();
  recording_->finish();
}

}  // namespace tickbox::tests
