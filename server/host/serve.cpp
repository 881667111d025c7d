// The one loop that drives a server. The shard has no clock, the pacer no thread, and the
// recording's file has a thread of its own. The loop drains the socket every millisecond, so that
// margins are exact to a sixteenth of a tick, and sleeps in between. Packets never wake it.

#include "server/host/serve.h"

#include "cli/build_info.h"
#include "cli/desync_file.h"
#include "cli/exit_code.h"
#include "os/files/private_file.h"
#include "os/http/http.h"
#include "os/net/resolve.h"
#include "os/net/udp_transport.h"
#include "os/process/latest_value.h"
#include "os/process/process.h"
#include "os/process/signals.h"
#include "os/process/standard_output.h"
#include "os/process/steady_clock.h"
#include "server/host/access.h"
#include "server/host/admin.h"
#include "server/host/metrics_text.h"
#include "server/host/recordings.h"
#include "server/shard/paced_logs.h"
#include "server/shard/shard.h"
#include "server/shard/tick_pacer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <expected>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace tickbox::server {
namespace {

/// The time between two drains of the socket while clients play or packets arrive.
constexpr Duration kDrainInterval = std::chrono::milliseconds{1};
/// The same while no client plays and no packet arrives. A flooded server must not use it: a
/// client's HELLOs come 250 ms apart. They would always arrive behind the packets that have used up
/// the replies to strangers.
constexpr Duration kIdleInterval = std::chrono::milliseconds{10};
/// The time between two copies of the status for the admin side.
constexpr Duration kPublishInterval = std::chrono::milliseconds{100};
/// The clients of the load test that a server suggests, if it has the seats.
constexpr std::uint32_t kClientsToTry = 32;
/// The time for the last packets to reach the last client.
constexpr Duration kLastWords = std::chrono::milliseconds{20};
/// The most time for closing the recording, and the most from a second signal on. The total is less
/// than a container manager waits before it kills the process.
constexpr Duration kClosingMost = std::chrono::seconds{20};
constexpr Duration kHurriedMost = std::chrono::seconds{1};
/// The wait for the disk after which a warning is logged; then the interval between two checks.
constexpr Duration kClosingTold = std::chrono::seconds{2};
constexpr Duration kClosingLook = std::chrono::milliseconds{1};

class OsLog final : public Log {
 public:
  explicit OsLog(const os::Log& log) : log_(log) {}

  void event(Severity severity, std::string_view line) override {
    constexpr std::array kLevels = {os::LogLevel::Info, os::LogLevel::Warning, os::LogLevel::Error};
    log_.write(kLevels[static_cast<std::size_t>(severity)], line);
  }

 private:
  const os::Log& log_;
};

/// Ends the recording on a thread of its own: a call to a disk that does not answer may not return.
class Closing {
 public:
  explicit Closing(Recordings& recordings)
      : thread_(os::start_thread("closing", [this, &recordings] {
          result_ = recordings.close();
          is_done_ = true;
        })) {}

  [[nodiscard]] bool is_done() const { return is_done_; }

  /// Returns the result.  Requires: is_done(); called once.
  std::expected<void, std::string> take() {
    thread_.join();
    return std::move(result_);
  }

 private:
  std::expected<void, std::string> result_;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;  ///< declared last: it uses the other members
};

cli::ExitCode fail(const Announcement& announcement, const std::string& why) {
  return cli::tell_failure({.name = "tickbox-server", .json = announcement.json},
                           cli::ExitCode::Failed, why);
}

/// Everything a running server owns, in the order of construction.
class Server {
 public:
  Server(const Options& options, const game::Catalog& games, const os::Log& log)
      : options_(options), games_(games), log_(log) {}

  /// Fails: with one line.
  std::expected<void, std::string> open();
  std::expected<void, std::string> announce(const Announcement& announcement);
  std::expected<void, std::string> run();

  /// Returns the last line of JSON output.  Requires: run() has succeeded.
  [[nodiscard]] std::string stopped_document() const;

  /// Returns whether run() has failed while a thread waits for the disk, which nobody can join: the
  /// process then ends as it is.
  [[nodiscard]] bool is_stuck() const { return closing_ && !closing_->is_done(); }

 private:
  std::expected<void, std::string> open_sockets();
  std::expected<net::KeyRing, std::string> open_keys();
  void run_due_ticks();
  std::expected<void, std::string> close_recording();
  [[nodiscard]] std::uint64_t ticks_left() const;
  void publish(ServerState state);
  void wait();
  void log_buffers();
  void log_key_file();
  void log_reach();
  void reload_keys();
  [[nodiscard]] std::string next_commands() const;

  const Options& options_;
  const game::Catalog& games_;
  OsLog log_;
  os::SteadyClock clock_;
  os::SystemCalendar calendar_;
  os::StopSignals signals_;
  os::SystemEntropy entropy_;
  std::unique_ptr<os::UdpTransport> transport_;
  os::LatestValue<Status> status_;
  std::atomic<const os::HttpServer*> admin_running_ = nullptr;  ///< read by its own thread
  std::unique_ptr<os::HttpServer> admin_;
  std::unique_ptr<Room> room_;
  std::unique_ptr<Recordings> recordings_;
  std::unique_ptr<cli::DesyncFiles> desyncs_;
  std::optional<Shard> shard_;
  std::optional<TickPacer> pacer_;
  std::optional<Summary> summary_;
  StallLog stalls_;
  Instant last_tick_;
  Instant published_;
  std::uint64_t ticks_ = 0;
  std::uint64_t heard_ = 0;  ///< datagrams received, when it last slept
  std::string keys_in_words_;
  int hangups_ = 0;  ///< number of hangup signals handled
  std::optional<Closing> closing_;
};

std::expected<void, std::string> Server::open() {
  if (!net::crypto_ready()) {
    return std::unexpected("cannot get random bytes from the kernel; does /dev/urandom exist?");
  }
  if (auto sockets = open_sockets(); !sockets) return sockets;
  const auto drawn = draw_number<std::uint64_t>(entropy_);
  const std::uint64_t seed = options_.seed.value_or(drawn);
  room_ = std::make_unique<Room>(games_.make_map(options_.max_clients),
                                 games_.make_rules(options_.rules, options_.tick_rate), seed,
                                 options_.tick_rate);
  auto keys = open_keys();
  if (!keys) return std::unexpected(std::move(keys.error()));
  auto addresses = public_addresses(options_, transport_->local_address());
  if (!addresses) return std::unexpected(std::move(addresses.error()));
  auto recordings = Recordings::open(
      options_, {.calendar = calendar_, .entropy = entropy_, .log = log_}, *room_, seed);
  if (!recordings) return std::unexpected(std::move(recordings.error()));
  recordings_ = *std::move(recordings);
  if (!options_.desync_dir.empty()) {
    auto desyncs = cli::DesyncFiles::open(options_.desync_dir, clock_);
    if (!desyncs) return std::unexpected(std::move(desyncs.error()));
    desyncs_ = *std::move(desyncs);
  }
  keys_in_words_ = keys_in_words(*keys);
  shard_.emplace(
      ShardOptions{.tick_rate = options_.tick_rate,
                   .snapshot_rate = options_.snapshot_rate.value_or(0),
                   .max_clients = options_.max_clients,
                   .admission = {.keys = *std::move(keys),
                                 .addresses = *std::move(addresses),
                                 .takes_own_address = options_.public_addresses.empty()}},
      ShardParts{.transport = *transport_,
                 .entropy = entropy_,
                 .calendar = calendar_,
                 .log = log_,
                 .rooms = {{.room = *room_,
                            .recorder = recordings_->recorder(),
                            .black_box = &recordings_->black_box()}},
                 .desyncs = desyncs_.get()},
      clock_.now());
  return {};
}

std::expected<void, std::string> Server::open_sockets() {
  const auto address = os::resolve_host(host_of(options_.bind), options_.port);
  const auto admin_address = os::resolve_host(options_.admin_bind, options_.admin_port);
  if (!address || !admin_address) {
    return std::unexpected(!address ? address.error() : admin_address.error());
  }
  // Only the wildcard [::] can take both families; any other address has one family anyway.
  const os::IpFamilies families =
      os::is_wildcard(*address) ? os::IpFamilies::Both : os::IpFamilies::OwnOnly;
  auto transport = os::UdpTransport::open({.bind = *address, .families = families});
  if (!transport) return std::unexpected(std::move(transport.error()));
  transport_ = *std::move(transport);
  const cli::BuildInfo& build = cli::build_info();
  auto admin = os::HttpServer::start(
      {.bind = *admin_address, .handler = [this, &build](const os::HttpRequest& request) {
         const os::ProcessUse use = os::process_use();
         std::vector<AdminRequests> requests;
         if (const os::HttpServer* const self = admin_running_) {
           for (const auto& [status, responses] : self->counts()) {
             requests.push_back({.code = status, .count = responses});
           }
         }
         AdminReply reply = answer(request.path, status_.read(),
                                   {.version = std::string{build.version},
                                    .commit = std::string{build.commit},
                                    .simulation_hash = std::string{build.simulation_hash},
                                    .cpu_microseconds = use.cpu_microseconds,
                                    .resident_bytes = use.resident_bytes,
                                    .virtual_bytes = use.virtual_bytes,
                                    .open_files = use.open_files,
                                    .open_files_max = use.open_files_max,
                                    .started = use.started,
                                    .admin_requests = std::move(requests)},
                                   clock_.now());
         return os::HttpResponse{.status = reply.status,
                                 .content_type = std::move(reply.content_type),
                                 .body = std::move(reply.body)};
       }});
  if (!admin) return std::unexpected(std::move(admin.error()));
  admin_ = *std::move(admin);
  admin_running_ = admin_.get();
  return {};
}

std::expected<net::KeyRing, std::string> Server::open_keys() {
  const auto file = create_key_file(options_);
  if (!file) return std::unexpected(file.error());
  if (*file == KeyFile::Created) {
    log_.event(Severity::Info, "key_file_created path=" + os::log_value(options_.key_file));
  }
  return read_keys(options_);
}

void Server::log_buffers() {
  const os::UdpBuffers buffers = transport_->buffers();
  if (buffers.receive_bytes < os::kSocketBufferBytes) {
    log_.event(Severity::Warning,
               fmt::format(
                   "socket_buffer_small receive_bytes={} asked={} try=\"sysctl net.core.rmem_max\"",
                   buffers.receive_bytes, os::kSocketBufferBytes));
  }
}

std::expected<void, std::string> Server::announce(const Announcement& announcement) {
  const std::string address = net::to_string(transport_->local_address());
  const std::string admin = net::to_string(admin_->local_address());
  log_buffers();
  log_key_file();
  log_reach();
  last_tick_ = clock_.now();
  publish(ServerState::Ready);
  log_.event(Severity::Info,
             fmt::format(
                 "ready address={} admin={} {} rules={} tick_rate={} max_clients={} version=\"{}\"",
                 address, admin, keys_in_words_, options_.rules, options_.tick_rate,
                 options_.max_clients, cli::build_info().version));
  if (announcement.json) {
    return os::write_to_stdout(fmt::format(
        "{{\"event\":\"ready\",\"address\":\"{}\",\"admin\":\"{}\"}}\n", address, admin));
  }
  // A failure to print these is ignored.
  if (!announcement.quiet) std::ignore = os::write_to_stdout(next_commands());
  return {};
}

std::string Server::next_commands() const {
  const std::string admin = net::to_string(admin_->local_address());
  const std::string address = net::to_string(address_to_try(options_, transport_->local_address()));
  const std::string keys = options_.key_file.empty() ? "" : " --key-file " + options_.key_file;
  return fmt::format(
      "metrics  http://{}/metrics\nconnect  tickbox connect {}{} --seconds 10\n"
      "load     tickbox load {}{} --clients {} --seconds 10 --admin {}\n",
      admin, address, keys, address, keys, std::min(kClientsToTry, options_.max_clients), admin);
}

/// Sessions continue: a key is needed only when a client connects.
void Server::reload_keys() {
  if (options_.key_file.empty()) {
    log_.event(Severity::Warning,
               "keys_not_reloaded reason=\"the server uses the published key: it has no key file "
               "to read\"");
    return;
  }
  auto keys = read_keys(options_);
  if (!keys) {
    log_.event(Severity::Error, fmt::format("keys_reload_failed reason={} kept=\"{}\"",
                                            os::log_value(keys.error()), keys_in_words_));
    return;
  }
  keys_in_words_ = keys_in_words(*keys);
  shard_->set_keys(*std::move(keys));
  log_.event(Severity::Info, "keys_reloaded " + keys_in_words_);
  log_key_file();
}

void Server::log_key_file() {
  if (options_.key_file.empty()) return;
  if (const auto warning = os::key_file_warning(options_.key_file)) {
    log_.event(Severity::Warning, "key_file_exposed reason=" + os::log_value(*warning));
  }
}

/// Logs if more clients, or fewer, can reach this server than one would think.
void Server::log_reach() {
  const net::Address address = transport_->local_address();
  if (options_.allow_strangers) {
    log_.event(Severity::Warning,
               fmt::format("strangers_allowed address={} reason=\"--allow-strangers: every client "
                           "that reaches this address can play\"",
                           net::to_string(address)));
  }
  const auto surroundings = os::is_container() ? Surroundings::Container : Surroundings::Machine;
  if (const auto hint = loopback_hint(address, surroundings)) log_.event(Severity::Info, *hint);
}

std::expected<void, std::string> Server::run() {
  pacer_.emplace(clock_.now(), options_.tick_rate);
  summary_.emplace(clock_.now());
  while (!signals_.stop_requested() && (options_.ticks == 0 || ticks_ < options_.ticks)) {
    run_due_ticks();
    if (const auto stall = stalls_.take(clock_.now())) log_.event(Severity::Warning, *stall);
    if (const int hangups = signals_.hangups(); hangups != hangups_) {
      hangups_ = hangups;
      reload_keys();
    }
    if (clock_.now() - published_ >= kPublishInterval) publish(ServerState::Ready);
    if (summary_->due(clock_.now())) {
      log_.event(Severity::Info, summary_->take(shard_->metrics(), clock_.now()) +
                                     (options_.allow_strangers ? " strangers=allowed" : ""));
    }
    wait();
  }
  log_.event(Severity::Info,
             fmt::format("stopping clients={} ticks={}", shard_->clients(), ticks_));
  publish(ServerState::Draining);
  shard_->stop(clock_.now());
  os::sleep_until(clock_.now() + kLastWords);
  if (const auto closed = close_recording(); !closed) return closed;
  admin_->stop();
  log_.event(Severity::Info, "stopped");
  return {};
}

std::string Server::stopped_document() const {
  const nlohmann::ordered_json document{{"event", "stopped"},
                                        {"ticks", ticks_},
                                        {"recordings", recordings_->closed_files()},
                                        {"exit", cli::to_int(cli::ExitCode::Done)}};
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::expected<void, std::string> Server::close_recording() {
  const std::uint64_t waiting = recordings_->look().queue_bytes;
  const Instant begun = clock_.now();
  Instant deadline = begun + kClosingMost;
  bool is_told = false;
  closing_.emplace(*recordings_);
  for (Instant now = begun; !closing_->is_done(); now = clock_.now()) {
    if (signals_.stops() > 1) deadline = std::min(deadline, now + kHurriedMost);
    if (now >= deadline) {
      return std::unexpected(
          fmt::format("cannot close the recording in {}: the disk does not answer; written records "
                      "are complete, but {} waiting bytes may be lost",
                      options_.record, waiting));
    }
    if (now - begun >= kClosingTold && !std::exchange(is_told, true)) {
      log_.event(Severity::Warning,
                 fmt::format("recording_not_closed_yet reason=\"the disk does not answer\" "
                             "waits_seconds={}",
                             kClosingMost / std::chrono::seconds{1}));
    }
    os::sleep_until(now + kClosingLook);
  }
  return closing_->take();
}

/// Receives; steps the ticks that are due, each timed by its parts; sends to the clients once.
void Server::run_due_ticks() {
  Metrics& metrics = shard_->metrics();
  const Instant received_from = clock_.now();
  shard_->receive(received_from, pacer_->next());
  const Instant received = clock_.now();
  const Instant deadline = pacer_->next();
  const std::int64_t due = pacer_->due(received, ticks_left());
  metrics.slipped = pacer_->slipped();
  stalls_.look(pacer_->slipped(), received - deadline);
  Duration receiving = received - received_from;
  for (std::int64_t i = 0; i < due; ++i) {
    const Instant start = clock_.now();
    metrics.lateness.add(
        static_cast<std::uint64_t>(std::max(Duration::zero(), start - pacer_->next()).count()));
    shard_->tick(start);
    pacer_->ran();
    ++ticks_;
    const Instant stepped = clock_.now();
    const bool last = i + 1 == due;
    if (last) shard_->send(stepped);
    const Instant sent = clock_.now();
    const Duration total = receiving + (sent - start);
    metrics.of(Phase::Receive).add(static_cast<std::uint64_t>(receiving.count()));
    metrics.of(Phase::Step).add(static_cast<std::uint64_t>((stepped - start).count()));
    metrics.of(Phase::Send).add(static_cast<std::uint64_t>((sent - stepped).count()));
    metrics.of(Phase::Total).add(static_cast<std::uint64_t>(total.count()));
    metrics.overruns += total > tick_duration(options_.tick_rate) ? 1U : 0U;
    summary_->add_tick(static_cast<std::uint64_t>(total.count()));
    receiving = Duration::zero();
    last_tick_ = sent;
  }
}

std::uint64_t Server::ticks_left() const {
  return options_.ticks == 0 ? TickPacer::kNoEnd : options_.ticks - ticks_;
}

void Server::publish(ServerState state) {
  published_ = clock_.now();
  shard_->metrics().recording = recordings_->look();
  if (desyncs_) {
    const os::BackgroundFileWriterStats stats = desyncs_->stats();
    shard_->metrics().desync_files = {
        .written = stats.written, .left_out = stats.left_out, .failed = stats.failed};
  }
  status_.publish({.state = state,
                   .last_tick = last_tick_,
                   .seats_held = shard_->seats_held(),
                   .metrics = shard_->metrics()});
}

void Server::wait() {
  const Instant now = clock_.now();
  const std::uint64_t heard = shard_->metrics().traffic.packets_in;
  const bool idle = shard_->clients() == 0 && heard == std::exchange(heard_, heard);
  const Duration nap = idle ? kIdleInterval : kDrainInterval;
  os::sleep_until(std::min(pacer_->next(), now + nap));
}

}  // namespace

cli::ExitCode serve(const Options& options, const game::Catalog& games,
                    const Announcement& announcement, const os::Log& log) {
  Server server{options, games, log};
  if (const auto opened = server.open(); !opened) return fail(announcement, opened.error());
  if (const auto announced = server.announce(announcement); !announced) {
    return fail({}, announced.error());
  }
  auto ended = server.run();
  if (ended && announcement.json) ended = os::write_to_stdout(server.stopped_document());
  const cli::ExitCode code = ended ? cli::ExitCode::Done : fail(announcement, ended.error());
  if (server.is_stuck()) std::_Exit(cli::to_int(code));
  return code;
}

}  // namespace tickbox::server
