#include "tests/support/harness.h"

#include "core/assert.h"
#include "games/arena/arena_map.h"
#include "net/handshake.h"

namespace tickbox::tests {
namespace {

constexpr Duration kStep = std::chrono::milliseconds{1};

record::Header header_of(const HarnessOptions& options, const game::Map& map) {
  return {.schema_hash = net::schema_hash(),
          .map_hash = game::map_hash(map),
          .seed = options.seed,
          .tick_rate = options.tick_rate,
          .map_seats = map.seats,
          .rules = "arena"};
}

game::MakeMap map_maker(const HarnessOptions& options) {
  if (options.map == nullptr) return game::make_arena_map;
  return [map = options.map](std::uint32_t /*seats*/) { return map; };
}

}  // namespace

Harness::Harness(const HarnessOptions& options)
    : options_(options),
      network_(clock_),
      entropy_(options.seed),
      grounds_({.make_rules = game::make_rules, .make_map = map_maker(options)}),
      rules_(options.room_rules ? options.room_rules()
                                : grounds_.rules("arena", options.tick_rate)),
      map_(grounds_.map(options.max_clients)) {
  TICKBOX_ASSERT(net::crypto_ready());
  start_server();
  recorder_.emplace(sink_, header_of(options_, *map_), *room_);
  start_shard();
}

void Harness::restart_server() {
  recorder_.reset();
  start_server();
  start_shard();
}

void Harness::start_server() {
  shard_.reset();
  room_ = std::make_unique<server::Room>(map_, rules_, options_.seed, options_.tick_rate);
  pacer_.emplace(server_now(), options_.tick_rate);
}

void Harness::start_shard() {
  shard_ = std::make_unique<server::Shard>(
      server::ShardOptions{
          .tick_rate = options_.tick_rate,
          .snapshot_rate = options_.snapshot_rate,
          .max_clients = options_.max_clients,
          .sight = options_.sight,
          .reception = {.keys = options_.keys, .addresses = {SimulatedNetwork::server_address()}}},
      server::ShardParts{.transport = network_.server(),
                         .entropy = entropy_,
                         .calendar = calendar_,
                         .log = log_,
                         .room = *room_,
                         .recorder = recorder_ ? &*recorder_ : nullptr,
                         .desyncs = &desyncs_},
      server_now());
}

net::ConnectToken Harness::make_token(std::uint64_t client, std::uint8_t rights) {
  net::TokenClaims claims{.client = client, .rights = rights};
  claims.servers.push_back(SimulatedNetwork::server_address());
  return net::issue_token(claims, calendar_.now(), calendar_.now() + std::chrono::minutes{1},
                          options_.keys, token_entropy_);
}

std::size_t Harness::add_client() {
  return add_client(options_.link);
}

std::size_t Harness::add_client(const net::LinkConditions& link) {
  return add_client(link, make_token(players_.size() + 1));
}

std::size_t Harness::add_auditor(const net::LinkConditions& link) {
  return add_client(link, make_token(players_.size() + 1, net::kRightToAudit), net::Wish::Audit);
}

std::size_t Harness::add_client(const net::LinkConditions& link, const net::ConnectToken& token,
                                net::Wish wish) {
  const std::size_t index = players_.size();
  const std::uint64_t seed = options_.seed * 1'000 + index;
  Player& player = players_.emplace_back();
  player.entropy = std::make_unique<SeededEntropy>(seed);
  net::LinkConditions own_link = link;
  own_link.seed = seed;
  player.transport = &network_.add_client(own_link);
  player.wish = wish;
  restart_client(index, {.server = SimulatedNetwork::server_address(), .token = token});
  return index;
}

void Harness::restart_with_ticket(std::size_t client) {
  restart_client(client, {.server = SimulatedNetwork::server_address(),
                          .ticket = players_[client].client->connection().ticket()});
}

void Harness::restart_client(std::size_t client, const client::ConnectionOptions& connection) {
  Player& player = players_[client];
  client::ClientOptions options{.connection = connection,
                                .player = game::bot_player(game::bot_kind_of(options_.bot, client),
                                                           options_.seed * 1'000 + client),
                                .on_input =
                                    [this, client](Tick tick, const game::Input& input) {
                                      players_[client].inputs[tick] = input;
                                    },
                                .on_event =
                                    [this, client](const client::MatchEvent& event) {
                                      players_[client].events.push_back(event);
                                    },
                                .desyncs = &player.desyncs};
  options.connection.wish = player.wish;
  player.silent = false;
  if (options_.client_rules) {
    player.grounds = std::make_unique<client::Grounds>(game::Catalog{
        .make_rules = [this, client](std::string_view,
                                     std::uint32_t) { return options_.client_rules(client); },
        .make_map = map_maker(options_)});
  }
  client::Grounds& grounds = player.grounds ? *player.grounds : grounds_;
  player.client = std::make_unique<client::Client>(options, *player.transport, *player.entropy,
                                                   grounds, clock_.now());
}

void Harness::run_for(Duration duration) {
  for (Duration passed{}; passed < duration; passed += kStep) {
    clock_.advance(kStep);
    for (Player& player : players_) {
      if (player.silent || clock_.now() < player.next_turn) continue;
      player.client->poll(clock_.now() - player.behind);
      player.next_turn = clock_.now() + player.turn;
    }
    const std::uint64_t before = options_.meter != nullptr ? options_.meter() : 0;
    drive_shard();
    metered_ += options_.meter != nullptr ? options_.meter() - before : 0;
  }
}

void Harness::drive_shard() {
  shard_->receive(server_now(), pacer_->next());
  const std::int64_t due = pacer_->due(server_now());
  for (std::int64_t i = 0; i < due; ++i) {
    shard_->tick(server_now());
    pacer_->ran();
  }
  if (due > 0) {
    shard_->send(server_now());
  }
}

void Harness::stop() {
  shard_->stop(server_now());
  run_for(std::chrono::seconds{1});
  if (recorder_) recorder_->finish();
}

}  // namespace tickbox::tests
