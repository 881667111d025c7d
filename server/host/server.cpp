#include "server/host/server.h"

#include "net/crypto.h"
#include "os/net/resolve.h"
#include "os/process/process.h"
#include "server/host/access.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {

std::expected<void, std::string> Server::open(engine::Games games) {
  if (!net::crypto_ready()) return std::unexpected(std::string{net::kNoCrypto});
  if (auto opened = open_sockets(); !opened) return opened;
  const auto drawn = draw_number<std::uint64_t>(entropy);
  const std::uint64_t seed = options.seed.value_or(drawn);
  const GameTable& game = *engine::find_game(games, options.game);
  match = std::make_unique<Match>(
      game,
      engine::make_map(game, {.seats = options.max_clients, .name = options.map},
                       options.tick_rate),
      options.tick_rate, seed);
  auto key_ring = keys.open();
  if (!key_ring) return std::unexpected(std::move(key_ring.error()));
  auto denied = deny_file.open();
  if (!denied) return std::unexpected(std::move(denied.error()));
  auto addresses =
      public_addresses(options, transport->local_address(),
                       {.resolve = os::resolve_destination,
                        .pause = [this](Duration time) { os::sleep_until(clock.now() + time); },
                        .clock = clock,
                        .log = log});
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  signals.emplace();
  const engine::Identity identity =
      engine::identity_of(game, match->world().map(), options.tick_rate);
  if (auto opened = open_files(identity, seed); !opened) return opened;
  shard.emplace(
      ShardOptions{.tick_rate = options.tick_rate,
                   .snapshot_rate = options.snapshot_rate.value_or(0),
                   .snapshot_rate_far = options.snapshot_rate_far.value_or(0),
                   .max_clients = options.max_clients,
                   .best_cipher = net::best_cipher(),
                   .admission = {.keys = *std::move(key_ring),
                                 .addresses = *std::move(addresses),
                                 .takes_own_address = options.public_addresses.empty(),
                                 .token_life_max = options.token_life_max,
                                 .seats_per_client = options.seats_per_client,
                                 .denied = *std::move(denied)}},
      ShardParts{
          .transport = *transport,
          .entropy = entropy,
          .calendar = calendar,
          .log = log,
          .rooms = {{.match = *match, .recorder = &recordings->recorder(), .identity = identity}},
          .desyncs = desyncs.get(),
          .results = results.get()},
      clock.now());
  // The longest list, once: so that no later one allocates.
  clients.clients.resize(options.max_clients);
  admin->publish_clients(clients);
  return {};
}

std::expected<void, std::string> Server::open_sockets() {
  const auto address = os::resolve_host(host_of(options.bind), options.port);
  const auto admin_address = os::resolve_host(host_of(options.admin_bind), options.admin_port);
  if (!address || !admin_address) {
    return std::unexpected(!address ? address.error() : admin_address.error());
  }
  // Only the wildcard [::] can take both families; any other address has one family anyway.
  const os::IpFamilies families =
      os::is_wildcard(*address) ? os::IpFamilies::Both : os::IpFamilies::OwnOnly;
  auto udp =
      os::UdpTransport::open({.bind = *address, .families = families, .arrival_times = true});
  if (!udp) return std::unexpected(std::move(udp.error()));
  transport = *std::move(udp);
  std::optional<AdminToken> token;
  if (!options.admin_token_file.empty()) {
    auto read = AdminToken::read(options, entropy);
    if (!read) return std::unexpected(std::move(read.error()));
    token = *std::move(read);
  }
  auto http = AdminServer::start({.bind = *admin_address, .hosts = options.admin_hosts},
                                 {.token = std::move(token),
                                  .clock = clock,
                                  .log = log.sink(),
                                  .name = options.name.empty() ? os::host_name() : options.name,
                                  .recent = &log.recent(),
                                  .address = net::to_string(transport->local_address()),
                                  .page = options.page,
                                  .recordings = options.record});
  if (!http) return std::unexpected(std::move(http.error()));
  admin = *std::move(http);
  return {};
}

std::expected<void, std::string> Server::open_files(const engine::Identity& identity,
                                                    std::uint64_t seed) {
  auto recorded = Recordings::open(options, {.calendar = calendar, .entropy = entropy, .log = log},
                                   *match, identity, seed);
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  recordings = *std::move(recorded);
  admin->open_log(kFirstRoom, recordings->recorder().tail());
  if (!options.match_results.empty()) {
    auto file = os::append_to(options.match_results);
    if (!file) {
      return std::unexpected("--match-results: " +
                             os::creation_failure(options.match_results, file.error()));
    }
    results = os::FileSink::over(*std::move(file), {.path = options.match_results});
  }
  if (options.desync_dir.empty()) return {};
  auto files = cli::DesyncFiles::open(options.desync_dir, clock);
  if (!files) return std::unexpected(std::move(files.error()));
  desyncs = *std::move(files);
  return {};
}

void Server::publish(ServerState state, Instant last_tick) {
  Metrics& metrics = shard->metrics();
  const os::UdpFailures& failures = transport->failures();
  metrics.socket = {.sends_dropped = failures.sends_dropped,
                    .send_errors = failures.send_errors,
                    .receive_errors = failures.receive_errors};
  metrics.log_lines_dropped = log.status().dropped;
  metrics.recording = recordings->poll();
  metrics.log_followers = recordings->recorder().tail()->followers();
  if (desyncs) {
    const cli::DesyncFileStats stats = desyncs->stats();
    metrics.desync_files = {
        .written = stats.written, .left_out = stats.left_out, .failed = stats.failed};
  }
  const Instant now = clock.now();
  if (admin->wants_clients()) {
    clients.at = now;
    shard->copy_clients(clients.clients, now);
    admin->publish_clients(clients);
  }
  admin->publish({.state = state,
                  .at = now,
                  .last_tick = last_tick,
                  .room = kFirstRoom,
                  .tick = shard->tick_of_first_room(),
                  .when_full = options.not_ready_when_full ? WhenFull::NotReady : WhenFull::Ready,
                  .seats_held = shard->seats_held(),
                  .metrics = metrics});
}

}  // namespace tickbox::server
