#include "client/commands/load/load_sampler.h"

#include "os/process/process.h"

#include <algorithm>
#include <utility>

namespace tickbox::commands {
namespace {

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
