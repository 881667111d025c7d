#include "server/host/server.h"

#include "net/crypto.h"
#include "os/net/resolve.h"
#include "os/process/process.h"
#include "server/host/base/access.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

using Sockets = std::vector<std::unique_ptr<os::UdpTransport>>;

/// Opens the socket of each shard, each at the port after the one before.
std::expected<Sockets, std::string> open_ports(const Options& options) {
  Sockets sockets;
  std::uint16_t port = options.port;
  for (std::uint32_t i = 0; i < options.shards; ++i) {
    if (i > 0 && port == 0) return std::unexpected{"no port follows 65535; give a lower --port"};
    const auto address = os::resolve_host(host_of(options.bind), port);
    if (!address) return std::unexpected(address.error());
    // Only the wildcard [::] can take both families; any other address has one family anyway.
    const os::IpFamilies families =
        os::is_wildcard(*address) ? os::IpFamilies::Both : os::IpFamilies::OwnOnly;
    auto udp = os::UdpTransport::open({.bind = *address,
                                       .families = families,
                                       .arrival_times = true,
                                       .send_batch = os::kSendBatch});
    if (!udp) return std::unexpected(std::move(udp.error()));
    port = static_cast<std::uint16_t>((*udp)->local_address().port + 1);
    sockets.push_back(*std::move(udp));
  }
  return sockets;
}

}  // namespace

std::expected<void, std::string> Server::open() {
  if (!net::crypto_ready()) return std::unexpected(std::string{net::kNoCrypto});
  const auto shared = share_files(options, os::raise_open_files(files_wanted(options)));
  if (!shared) return std::unexpected(shared.error());
  shares = *shared;
  if (auto opened = open_sockets(); !opened) return opened;
  if (auto opened = open_admin(); !opened) return opened;
  return open_shards();
}

std::expected<void, std::string> Server::open_sockets() {
  // The ports that follow a free one may be taken.
  constexpr int kTries = 20;
  std::expected<Sockets, std::string> sockets;
  for (int tries = options.port == 0 ? kTries : 1; tries > 0; --tries) {
    sockets = open_ports(options);
    if (sockets) break;
  }
  if (!sockets) return std::unexpected(std::move(sockets.error()));
  for (std::unique_ptr<os::UdpTransport>& socket : *sockets) {
    auto host = std::make_unique<ShardHost>();
    host->index = shards.size();
    host->transport = std::move(socket);
    shards.push_back(std::move(host));
  }
  return {};
}

std::expected<void, std::string> Server::open_admin() {
  const auto address = os::resolve_host(host_of(options.admin_bind), options.admin_port);
  if (!address) return std::unexpected(address.error());
  auto tokens = AdminTokens::read(options, entropy);
  if (!tokens) return std::unexpected(std::move(tokens.error()));
  std::vector<std::string> addresses;
  addresses.reserve(shards.size());
  for (const auto& host : shards) {
    addresses.push_back(net::to_string(host->transport->local_address()));
  }
  auto http = AdminServer::start(
      {.bind = *address, .hosts = options.admin_hosts},
      {.tokens = *std::move(tokens),
       .clock = clock,
       .log = log.sink(),
       .name = options.name.empty() ? os::host_name() : options.name,
       .has_keys = !options.key_file.empty(),
       .gateway_url = options.gateway_url,
       .recent = &log.recent(),
       .addresses = std::move(addresses),
       .page = options.page,
       .recordings = options.record,
       .when_full = options.not_ready_when_full ? WhenFull::NotReady : WhenFull::Ready,
       .log_streams = shares.log_streams,
       .fleet_requests = &agones_counts});
  if (!http) return std::unexpected(std::move(http.error()));
  admin = *std::move(http);
  return {};
}

/// Creates a missing key file if that is requested.
std::expected<FileOfKeys, std::string> Server::open_keys() {
  const auto file = create_key_file(options);
  if (!file) return std::unexpected(file.error());
  if (*file == KeyFile::Created) {
    log.event(Severity::Info, {"key_file_created", {{"path", options.key_file}}});
  }
  return keys.open();
}

/// Logs a warning if clients can choose their ids.
std::expected<DenyList, std::string> Server::open_deny_file() {
  auto denied = deny_file.open();
  if (!denied || options.deny_file.empty()) return denied;
  log.event(Severity::Info,
            {"deny_file_read", {{"path", options.deny_file}, {"clients", denied->size()}}});
  if (options.key_file.empty()) {
    log.event(Severity::Warning,
              {"deny_file_without_keys",
               {{"reason", "without keys a client chooses its own id"}, {"try", "--key-file F"}}});
  }
  return denied;
}

std::expected<void, std::string> Server::open_shards() {
  const auto key_file = open_keys();
  if (!key_file) return std::unexpected(key_file.error());
  const auto denied = open_deny_file();
  if (!denied) return std::unexpected(denied.error());
  const Lookup lookup{
      .resolve = os::resolve_destination,
      .own_addresses =
          [this] { return own_addresses(side_car_at(options.agones_port), options.shards); },
      .pause = [this](Duration time) { os::sleep_until(clock.now() + time); },
      .clock = clock,
      .log = log};
  const auto given = given_addresses(options, lookup);
  if (!given) return std::unexpected(given.error());
  signals.emplace();
  if (auto opened = open_files(); !opened) return opened;
  auto first = rooms.open_first();
  if (!first) return std::unexpected(std::move(first.error()));
  for (const auto& host : shards) {
    auto addresses =
        public_addresses(options, *given, host->transport->local_address(), host->index);
    if (!addresses) return std::unexpected(std::move(addresses.error()));
    host->addresses = *addresses;
    host->shard.emplace(
        ShardOptions{.tick_rate = options.tick_rate,
                     .snapshot_rate = options.snapshot_rate.value_or(0),
                     .snapshot_rate_far = options.snapshot_rate_far.value_or(0),
                     .max_clients = options.max_clients,
                     .best_cipher = net::best_cipher(),
                     .admission = {.keys = key_file->keys,
                                   .addresses = *std::move(addresses),
                                   .takes_own_address = options.public_addresses.empty(),
                                   .token_life_max = options.token_life_max,
                                   .seats_per_client = options.seats_per_client,
                                   .denied = *denied}},
        ShardParts{.transport = *host->transport,
                   .entropy = host->entropy,
                   .calendar = calendar,
                   .log = log,
                   .rooms = {},
                   .desyncs = desyncs.get(),
                   .results = results.get()},
        clock.now());
  }
  std::vector<net::Address> own;
  for (const auto& host : shards) {
    own.push_back(host->transport->local_address());
    own.insert(own.end(), host->addresses.begin(), host->addresses.end());
  }
  admin->orders().set_own(std::move(own));
  // One after the other, so that each shard gets rooms of every game.
  for (std::size_t i = 0; i < first->size(); ++i) {
    std::unique_ptr<ServedRoom>& room = (*first)[i];
    admin->open_log(room->id, room->recordings->recorder().tail());
    shards[i % shards.size()]->open(std::move(room), clock.now());
  }
  return {};
}

std::expected<void, std::string> Server::open_files() {
  if (!options.match_results.empty()) {
    auto file = os::append_to(options.match_results);
    if (!file) {
      return std::unexpected("--match-results: " +
                             os::creation_failure(options.match_results, file.error()));
    }
    auto sink = os::FileSink::over(*std::move(file), {.path = options.match_results});
    if (!sink) return std::unexpected(std::move(sink.error()));
    results = *std::move(sink);
  }
  if (options.desync_dir.empty()) return {};
  auto files = desync::Files::open(options.desync_dir, clock);
  if (!files) return std::unexpected(std::move(files.error()));
  desyncs = *std::move(files);
  return {};
}

ServerProgress Server::progress() const {
  ServerProgress all;
  for (const auto& host : shards) {
    const ShardProgress& of = host->progress;
    all.ticks = std::max(all.ticks, of.ticks.load());
    all.clients += of.clients;
    all.seats_held += of.seats_held;
  }
  return all;
}

void Server::count_outside(Metrics& metrics) const {
  metrics.log_lines_dropped = log.status().dropped;
  if (desyncs == nullptr) return;
  const desync::FileStats stats = desyncs->stats();
  metrics.desync_files = {
      .written = stats.written, .left_out = stats.left_out, .failed = stats.failed};
}

}  // namespace tickbox::server
