#include "tests/support/harness.h"

#include "core/assert.h"
#include "game/catalog.h"
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

}  // namespace

Harness::Harness(const HarnessOptions& options)
    : options_(options),
      network_(clock_),
      entropy_(options.seed),
      rules_(grounds_.rules("arena", options.tick_rate)),
      map_(grounds_.map(options.max_clients)),
      room_(map_, rules_, options.seed),
      recorder_(sink_, header_of(options, *map_), room_),
      shard_({.tick_rate = options.tick_rate, .max_clients = options.max_clients},
             {.transport = network_.server(),
              .entropy = entropy_,
              .log = log_,
              .room = room_,
              .recorder = &recorder_}),
      pacer_(clock_.now(), options.tick_rate) {
  TICKBOX_ASSERT(net::crypto_ready());
}

std::size_t Harness::add_client() {
  return add_client(options_.link);
}

std::size_t Harness::add_client(const net::LinkConditions& link) {
  const std::size_t index = players_.size();
  const std::uint64_t seed = options_.seed * 1'000 + index;
  Player& player = players_.emplace_back();
  player.entropy = std::make_unique<SeededEntropy>(seed);
  net::LinkConditions own_link = link;
  own_link.seed = seed;
  const client::ClientOptions client_options{
      .server = SimulatedNetwork::server_address(),
      .bot = client::bot_kind_of(options_.bot, index),
      .seed = seed,
      .on_input = [this, index](Tick tick, const game::Input& input) {
        players_[index].inputs[tick] = input;
      }};
  player.client = std::make_unique<client::Client>(client_options, network_.add_client(own_link),
                                                   *player.entropy, grounds_, clock_.now());
  return index;
}

void Harness::run_for(Duration duration) {
  for (Duration passed{}; passed < duration; passed += kStep) {
    clock_.advance(kStep);
    for (Player& player : players_) {
      if (!player.silent) {
        player.client->poll(clock_.now());
      }
    }
    const std::uint64_t before = options_.meter != nullptr ? options_.meter() : 0;
    drive_shard();
    metered_ += options_.meter != nullptr ? options_.meter() - before : 0;
  }
}

void Harness::drive_shard() {
  shard_.receive(clock_.now(), pacer_.next());
  const std::int64_t due = pacer_.due(clock_.now());
  for (std::int64_t i = 0; i < due; ++i) {
    shard_.tick(clock_.now());
    pacer_.ran();
  }
  if (due > 0) {
    shard_.send(clock_.now());
  }
}

void Harness::stop() {
  shard_.stop(clock_.now());
  run_for(std::chrono::seconds{1});
  recorder_.finish();
}

}  // namespace tickbox::tests
