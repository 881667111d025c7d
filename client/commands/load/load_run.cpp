#include "client/commands/load/load_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace tickbox::commands {
namespace {

/// The time between two checks of signals, progress and statistics.
constexpr Duration kLoadTurn = std::chrono::milliseconds{20};
/// The time after the ramp for which the run waits for clients that are still trying to connect.
constexpr Duration kConnectMax = client::kServerTimeout + std::chrono::seconds{1};
/// The time limit for one response of the admin server.
constexpr Duration kAnswerMax = std::chrono::seconds{3};

double seconds_between(Instant from, Instant to) {
  return std::chrono::duration<double>{to - from}.count();
}

double to_ms(std::uint64_t microseconds) {
  return static_cast<double>(microseconds) / 1'000;
}

}  // namespace

LoadRun::LoadRun(const Parts& parts, const LoadTimes& times, ProgressFor audience)
    : parts_(parts),
      times_(times),
      progress_(audience, parts.clock.now()),
      sampler_(parts.clock, parts.crowd, parts.on_sample ? parts.watch : nullptr),
      last_line_(mark()) {}

LoadReport LoadRun::run() {
  const auto start = ask_server();
  wait_for_connects();
  if (!misfit_.empty()) {
    progress_.clear();
    parts_.crowd.leave();
    return {};
  }
  const auto before = ask_server();
  parts_.crowd.clear_lateness();
  begin_playback();
  const Mark begin = mark();
  play();
  const Mark end = mark();
  LoadReport found = report(begin, end);
  found.was_stopped = stopped() && end.at - begin.at < times_.measured;
  const auto after = ask_server();
  found.was_restarted = before && after && before->started != after->started;
  if (before && after) {
    found.server = figures_between(*before, *after, static_cast<double>(end.newest - begin.newest),
                                   found.seconds);
  }
  if (start && before) found.joining = figures_between(*start, *before, 0, 0);
  for (auto rest = sampler_.finish(); rest; rest = sampler_.finish()) {
    hand_over(std::move(rest));
  }
  progress_.clear();
  reason_ = parts_.crowd.first_reason();
  refused_ = parts_.crowd.first_refusal();
  parts_.crowd.leave();
  return found;
}

/// Runs until all clients have joined or have failed, and others had the time to. Ends early if the
/// server of the first connected client does not match the inputs.
void LoadRun::wait_for_connects() {
  const Instant start = parts_.clock.now();
  const Instant others_join_until = times_.is_part ? start + times_.ramp : start;
  const Instant give_up = start + times_.ramp + kConnectMax;
  const auto waits = [&] {
    const Instant now = parts_.clock.now();
    return now < others_join_until || (now < give_up && anybody_joins());
  };
  while (!stopped() && waits()) {
    turn(parts_.clock.now() + kLoadTurn);
    misfit_ = find_misfit();
    if (!misfit_.empty()) return;
  }
}

/// Returns whether a client connects, or has no snapshot yet. Once it is connected, its world is
/// made, which holds up the turn: that is no lateness of the measured time.
bool LoadRun::anybody_joins() const {
  const Crowd& crowd = parts_.crowd;
  if (crowd.states().connecting > 0) return true;
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    if (!crowd.was_connected(i)) continue;
    const client::Client& client = *crowd.client(i);
    if (!client.connection().over() && client.snapshots_received() == 0) return true;
  }
  return false;
}

std::string LoadRun::find_misfit() const {
  for (std::size_t i = 0; parts_.playback != nullptr && i < parts_.crowd.size(); ++i) {
    if (!parts_.crowd.was_connected(i)) continue;
    const net::Accept& accept = parts_.crowd.client(i)->connection().accept();
    const InputScript& script = parts_.playback->script();
    if (accept.tick_rate == script.tick_rate && accept.game == script.game->name) return {};
    return fmt::format("it was recorded in {} at {} Hz, but the server plays {} at {} Hz",
                       script.game->name, script.tick_rate, accept.game, accept.tick_rate);
  }
  return {};
}

/// Starts the playback for all clients at the same server tick, which no client has reached.
void LoadRun::begin_playback() {
  if (parts_.playback != nullptr) {
    const std::uint32_t ahead = parts_.playback->script().tick_rate * kPlaybackAheadSeconds;
    parts_.playback->begin(mark().newest + ahead);
  }
}

/// Runs until the time is up, or no client plays or tries to resume.
void LoadRun::play() {
  began_ = parts_.clock.now();
  const Instant end = *began_ + times_.measured;
  const auto anybody = [this] {
    const SwarmStates states = parts_.crowd.states();
    return states.connected + states.returning > 0;
  };
  while (!stopped() && parts_.clock.now() < end && anybody()) {
    turn(std::min(end, parts_.clock.now() + kLoadTurn));
  }
}

/// Lets the clients play until `until`, then updates statistics and progress.
void LoadRun::turn(Instant until) {
  parts_.crowd.turn(until);
  hand_over(sampler_.advance(!began_));
  if (progress_.due(parts_.clock.now())) progress_.show(status());
}

void LoadRun::hand_over(std::optional<LoadSample>&& sample) const {
  if (sample && parts_.on_sample) parts_.on_sample(*std::move(sample));
}

/// Returns the server's current metrics, while the clients continue to play. Returns nothing
/// without a watch, or without a response.
std::optional<ServerSample> LoadRun::ask_server() {
  if (parts_.watch == nullptr) return std::nullopt;
  const Instant asked = parts_.clock.now();
  parts_.watch->ask();
  while (!parts_.watch->answered() && parts_.clock.now() - asked < kAnswerMax) {
    turn(parts_.clock.now() + kLoadTurn);
  }
  auto sample = parts_.watch->newest();
  return sample.at >= asked ? std::optional{std::move(sample)} : std::nullopt;
}

LoadRun::Mark LoadRun::mark() const {
  Mark mark{.at = parts_.clock.now(),
            .snapshots = std::vector<std::uint64_t>(parts_.crowd.size()),
            .newest = {},
            .cpu_microseconds = os::process_use().cpu_microseconds};
  for (std::size_t i = 0; i < parts_.crowd.size(); ++i) {
    const client::Client* client = parts_.crowd.client(i);
    if (client == nullptr) continue;
    mark.snapshots[i] = client->snapshots_received();
    mark.snapshots_sum += mark.snapshots[i];
    mark.bytes_down += client->connection().use().bytes_down;
    mark.bytes_up += client->connection().use().bytes_up;
    mark.newest = std::max(mark.newest, client->newest_view());
  }
  return mark;
}

std::string LoadRun::status() {
  const Mark now = mark();
  const Mark before = std::exchange(last_line_, now);
  const double seconds = std::max(1e-3, seconds_between(before.at, now.at));
  const auto rate = [&](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) / seconds;
  };
  const SwarmStates states = parts_.crowd.states();
  const client::ClientStats& sums = sampler_.sums();
  LiveFigures live{.up = states.connected,
                   .away = states.returning,
                   .failed = states.never_connected + states.dropped - states.returning,
                   .hashes_mismatched = sums.hashes_mismatched,
                   .gap_ms_p50 = to_ms(sums.snapshot_gap.quantile(500)),
                   .gap_ms_p99 = to_ms(sums.snapshot_gap.quantile(990)),
                   .gap_ms_p999 = to_ms(sums.snapshot_gap.quantile(999)),
                   .rtt_ms_p50 = to_ms(sums.round_trip.quantile(500)),
                   .rtt_ms_p99 = to_ms(sums.round_trip.quantile(990)),
                   .late_ms_p99 = to_ms(parts_.crowd.lateness().quantile(990)),
                   .cpu_percent = rate(before.cpu_microseconds, now.cpu_microseconds) * 1e-4,
                   .snapshots_per_second = rate(before.snapshots_sum, now.snapshots_sum),
                   .corrections = sums.corrected,
                   .megabytes_down_per_second = rate(before.bytes_down, now.bytes_down) * 1e-6,
                   .megabytes_up_per_second = rate(before.bytes_up, now.bytes_up) * 1e-6};
  if (began_) {
    live.seconds_of = std::chrono::duration<double>{times_.measured}.count();
    live.seconds = std::min(live.seconds_of, seconds_between(*began_, now.at));
  }
  add_server(live);
  return live_line(live);
}

/// Adds the p99 of the server's tick time since the last call.
void LoadRun::add_server(LiveFigures& live) {
  if (parts_.watch == nullptr) return;
  auto newest = parts_.watch->newest();
  live.server_is_silent = parts_.clock.now() - newest.at > kAnswerMax;
  const auto before = std::exchange(last_sample_, newest);
  const auto ticks =
      before ? added_between(before->tick_seconds, newest.tick_seconds) : std::nullopt;
  const auto p99 = ticks ? ticks->quantile(0.99) : std::nullopt;
  if (p99) live.server_tick_ms_p99 = *p99 * 1'000;
}

LoadReport LoadRun::report(const Mark& begin, const Mark& end) const {
  const Crowd& crowd = parts_.crowd;
  const SwarmStates states = crowd.states();
  LoadReport found{.first_client = crowd.first_client(),
                   .clients_asked = crowd.size(),
                   .clients_connected = states.connected + states.dropped,
                   .clients_dropped = states.dropped,
                   .clients_rejoined = crowd.rejoined(),
                   .clients_moved = crowd.moved(),
                   .matches_ended = crowd.matches_ended(),
                   .seconds = seconds_between(begin.at, end.at),
                   .bytes_down = end.bytes_down - begin.bytes_down,
                   .bytes_up = end.bytes_up - begin.bytes_up,
                   .generator_threads = crowd.threads(),
                   .outages = crowd.outages(),
                   .lateness = crowd.lateness()};
  if (found.seconds > 0) {
    const Duration late = std::ranges::max(crowd.time_late());
    found.late_share = std::min(1.0, std::chrono::duration<double>{late}.count() / found.seconds);
  }
  found.stats.add_distributions(crowd.distributions());
  for (std::size_t i = 0; i < crowd.size(); ++i) {
    const client::Client* client = crowd.client(i);
    if (client == nullptr) continue;
    const client::ClientCounts counts = client->counts(found.stats);
    found.stats.add_counts(counts);
    found.clients_checked += counts.hashes_checked > 0 ? 1 : 0;
    if (crowd.was_connected(i) && found.seconds > 0) {
      found.snapshot_rates.push_back(static_cast<double>(end.snapshots[i] - begin.snapshots[i]) /
                                     found.seconds);
      const net::Accept& accept = client->connection().accept();
      found.tick_ms = 1'000.0 / accept.tick_rate;
      found.game = accept.game;
      found.game_version = accept.game_version;
    }
  }
  // Without clients the run ends immediately, and any work in so short a time would look like full
  // load.
  if (found.clients_connected > 0 && found.seconds > 0) {
    found.generator_cpu_percent =
        static_cast<double>(end.cpu_microseconds - begin.cpu_microseconds) * 1e-4 / found.seconds;
  }
  return found;
}

}  // namespace tickbox::commands
