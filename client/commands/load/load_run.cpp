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

}  // namespace

LoadRun::LoadRun(const Parts& parts, const LoadTimes& times, ProgressFor audience)
    : parts_(parts),
      times_(times),
      progress_(audience, parts.clock.now()),
      sampler_(parts.clock, parts.crowd, parts.watch, parts.began) {}

LoadMeasured LoadRun::run() {
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
  LoadMeasured found = measured(begin, end);
  found.was_stopped = stopped() && end.at - begin.at < times_.measured;
  const auto after = ask_server();
  found.was_restarted = before && after && before->started_ms != after->started_ms;
  if (before && after) {
    found.server = figures_between(*before, *after, static_cast<double>(end.newest - begin.newest),
                                   found.seconds);
  }
  if (start && before) found.joining = figures_between(*start, *before, 0, 0);
  for (auto rest = sampler_.finish(); rest; rest = sampler_.finish()) {
    hand_over(std::move(rest));
  }
  progress_.clear();
  found.reason = parts_.crowd.first_reason();
  found.refused = parts_.crowd.first_refusal();
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

void LoadRun::hand_over(std::optional<LoadSecond>&& second) {
  if (!second) return;
  last_second_ = *second;
  if (parts_.on_second) parts_.on_second(*std::move(second));
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
    mark.bytes_down += client->connection().use().bytes_down;
    mark.bytes_up += client->connection().use().bytes_up;
    mark.newest = std::max(mark.newest, client->newest_view());
  }
  return mark;
}

std::string LoadRun::status() const {
  LiveMoment moment{.states = parts_.crowd.states(),
                    .hashes_mismatched = sampler_.sums().hashes_mismatched};
  const Instant now = parts_.clock.now();
  if (parts_.watch != nullptr) {
    moment.server_is_silent = now - parts_.watch->newest().at > kAnswerMax;
  }
  if (began_) {
    moment.seconds_of = std::chrono::duration<double>{times_.measured}.count();
    moment.seconds = std::min(moment.seconds_of, seconds_between(*began_, now));
  }
  return live_line(last_second_, moment);
}

LoadMeasured LoadRun::measured(const Mark& begin, const Mark& end) const {
  const Crowd& crowd = parts_.crowd;
  const SwarmStates states = crowd.states();
  LoadMeasured found{.first_client = crowd.first_client(),
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
  found.client_seconds = found.seconds * static_cast<double>(found.clients_connected);
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
