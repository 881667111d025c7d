#include "client/commands/load/load_run.h"

#include "os/process/process.h"

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

constexpr Duration kSecond = std::chrono::seconds{1};
/// The time and the largest number of calls of advance() in which all statistics are read once. A
/// generator that is late makes few calls.
constexpr Duration kSweep = std::chrono::milliseconds{500};
constexpr std::size_t kLooksPerSweep = 25;
/// The longest wait for the server's metrics of a sample.
constexpr Duration kSampleAnswerMax = std::chrono::milliseconds{800};
/// The shortest time of which finish() makes a sample, after others.
constexpr Duration kRestMin = std::chrono::milliseconds{500};
/// The shortest time of a client of which its traffic is a rate.
constexpr double kSecondsMin = 0.1;

double seconds_of(Duration time) {
  return std::chrono::duration<double>{time}.count();
}

/// Returns what a count has grown by. A client that has started again counts from 0.
std::uint64_t grown(std::uint64_t before, std::uint64_t after) {
  return after >= before ? after - before : after;
}

/// Returns the mean of what was added to some microseconds, in milliseconds; below 0 if nothing
/// was.
float mean_ms(const client::ValueTotal& before, const client::ValueTotal& after) {
  const std::uint64_t count = grown(before.count, after.count);
  if (count == 0) return -1;
  const std::uint64_t sum = grown(before.sum, after.sum);
  return static_cast<float>(static_cast<double>(sum) / static_cast<double>(count) / 1'000);
}

/// Sets a member of the statistics to what it has grown by.
struct SetGrown {
  void operator()(std::string_view /*name*/, Joined /*parts*/, std::uint64_t& to,
                  std::uint64_t before, std::uint64_t after) const {
    to = grown(before, after);
  }

  void operator()(std::string_view /*name*/, Joined /*parts*/, Histogram& to,
                  const Histogram& before, const Histogram& after) const {
    to = after.added_since(before);
  }

  template <class T>
  void operator()(std::string_view /*name*/, Joined /*parts*/, std::optional<T>& /*to*/,
                  const std::optional<T>& /*before*/, const std::optional<T>& /*after*/) const {}
};

/// Adds the traffic of the clients that are connected.
void add_traffic(LoadMeasured& second, const SwarmStats& before, const SwarmStats& after) {
  for (std::size_t i = 0; i < std::min(before.each.size(), after.each.size()); ++i) {
    const SwarmStats::Each& then = before.each[i];
    const SwarmStats::Each& now = after.each[i];
    const double seconds = seconds_of(now.read_at - then.read_at);
    if (!now.is_connected || seconds < kSecondsMin) continue;
    const auto rate = [&](std::uint64_t SwarmStats::Each::* bytes) {
      return static_cast<double>(grown(then.*bytes, now.*bytes)) / seconds;
    };
    second.rates_down.push_back(rate(&SwarmStats::Each::bytes_down));
    second.rates_up.push_back(rate(&SwarmStats::Each::bytes_up));
  }
}

/// Returns the most that was added to any of some times. `before`: empty if they began with 0.
Duration most_added(const std::vector<Duration>& before, const std::vector<Duration>& after) {
  Duration most{};
  for (std::size_t i = 0; i < after.size(); ++i) {
    most = std::max(most, before.empty() ? after[i] : after[i] - before[i]);
  }
  return most;
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

std::vector<ClientSample> clients_between(const SwarmStats& before, const SwarmStats& after) {
  std::vector<ClientSample> clients(after.each.size());
  for (std::size_t i = 0; i < after.each.size(); ++i) {
    const SwarmStats::Each then = i < before.each.size() ? before.each[i] : SwarmStats::Each{};
    const SwarmStats::Each& now = after.each[i];
    clients[i].snapshot_gap_ms = mean_ms(then.gaps, now.gaps);
    clients[i].rtt_ms = mean_ms(then.round_trips, now.round_trips);
    if (now.is_connected) {
      clients[i].corrected = static_cast<float>(grown(then.corrected, now.corrected));
    }
  }
  return clients;
}

LoadMeasured measured_between(const SampleEnd& before, const SampleEnd& after, double tick_ms) {
  LoadMeasured second{.seconds = std::max(1e-3, seconds_of(after.moment.at - before.moment.at)),
                      .tick_ms = tick_ms};
  each_stats_figure(EachMember{SetGrown{}}, second.stats, before.stats.sums, after.stats.sums);
  second.stats.snapshot_gap =
      after.stats.sums.snapshot_gap.added_since(before.stats.sums.snapshot_gap);
  add_traffic(second, before.stats, after.stats);
  if (before.server != nullptr && after.server != nullptr) {
    second.server = figures_between(*before.server, *after.server, 0, 0);
  }
  second.generator_cpu_percent =
      static_cast<double>(grown(before.moment.cpu_microseconds, after.moment.cpu_microseconds)) *
      1e-4 / second.seconds;
  // The counts of lateness begin again with the measured time.
  const bool is_cleared = after.moment.lateness.count() < before.moment.lateness.count();
  second.lateness = is_cleared ? after.moment.lateness
                               : after.moment.lateness.added_since(before.moment.lateness);
  const Duration time_late = most_added(
      is_cleared ? std::vector<Duration>{} : before.moment.time_late, after.moment.time_late);
  second.late_share = std::min(1.0, seconds_of(time_late) / second.seconds);
  return second;
}

LoadSampler::LoadSampler(const Clock& clock, const Crowd& crowd, ServerWatch* watch, Instant began)
    : clock_(clock),
      crowd_(crowd),
      watch_(watch),
      began_(began),
      start_(clock.now()),
      next_(start_ + kSecond),
      moment_before_{.at = start_, .cpu_microseconds = os::process_use().cpu_microseconds} {}

std::optional<LoadSecond> LoadSampler::advance(bool joining) {
  // The measured time begins with a sample of its own.
  if (!in_progress_ && (clock_.now() >= next_ || joining_ != joining)) begin(joining);
  if (!in_progress_) return std::nullopt;
  const double due = std::min(1.0, seconds_of(clock_.now() - moment_.at) / seconds_of(kSweep));
  const auto read_to = static_cast<std::size_t>(due * static_cast<double>(crowd_.size()));
  read_clients(std::max(read_ + crowd_.size() / kLooksPerSweep + 1, read_to) - read_);
  const bool waits =
      watch_ != nullptr && !watch_->answered() && clock_.now() - moment_.at < kSampleAnswerMax;
  if (read_ < crowd_.size() || waits) return std::nullopt;
  return complete();
}

std::optional<LoadSecond> LoadSampler::finish() {
  if (!in_progress_) {
    const bool is_short = moment_before_.at > start_ && clock_.now() - moment_before_.at < kRestMin;
    if (std::exchange(finished_, true) || is_short) {
      return std::nullopt;
    }
    begin(joining_);
  }
  read_clients(crowd_.size());
  return complete();
}

void LoadSampler::begin(bool joining) {
  in_progress_ = true;
  was_joining_ = std::exchange(joining_, joining);
  if (was_joining_ != joining) next_ = clock_.now();
  read_ = 0;
  *reading_ = {};
  moment_ = {.at = clock_.now(),
             .cpu_microseconds = os::process_use().cpu_microseconds,
             .lateness = crowd_.lateness(),
             .time_late = crowd_.time_late()};
  next_ = std::max(next_ + kSecond, moment_.at + kSecond / 2);
  if (watch_ == nullptr) return;
  if (!server_before_) server_before_ = watch_->newest();
  watch_->ask();
}

void LoadSampler::read_clients(std::size_t count) {
  for (; count > 0 && read_ < crowd_.size(); --count, ++read_) {
    SwarmStats::Each& each = reading_->each.emplace_back();
    each.read_at = clock_.now();
    const client::Client* client = crowd_.client(read_);
    if (client == nullptr) continue;
    const client::ClientCounts counts = client->counts(reading_->sums);
    const client::Connection& connection = client->connection();
    each = {.read_at = each.read_at,
            .gaps = counts.own_snapshot_gaps,
            .round_trips = counts.own_round_trips,
            .corrected = counts.corrected,
            .bytes_down = connection.use().bytes_down,
            .bytes_up = connection.use().bytes_up,
            .is_connected = connection.state() == client::Connection::State::Connected};
    if (each.is_connected) tick_ms_ = 1'000.0 / connection.accept().tick_rate;
    reading_->sums.add_counts(counts);
  }
}

LoadSecond LoadSampler::complete() {
  reading_->sums.add_distributions(crowd_.distributions());
  std::optional<ServerSample> server;
  if (watch_ != nullptr) server = watch_->newest();
  LoadMeasured second = measured_between(
      {.moment = moment_before_,
       .stats = *before_,
       .server = server_before_ ? &*server_before_ : nullptr},
      {.moment = moment_, .stats = *reading_, .server = server ? &*server : nullptr}, tick_ms_);
  second.at = seconds_of(moment_.at - began_);
  second.is_joining = was_joining_;
  const SwarmStates states = crowd_.states();
  second.clients_connected = states.connected;
  second.clients_away = states.returning;
  second.clients_failed = states.never_connected + states.dropped - states.returning;
  LoadSecond sample{.figures = second_figures(second),
                    .clients = clients_between(*before_, *reading_)};
  in_progress_ = false;
  moment_before_ = moment_;
  server_before_ = std::move(server);
  std::swap(before_, reading_);
  return sample;
}

}  // namespace tickbox::commands
