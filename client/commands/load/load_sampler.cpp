#include "client/commands/load/load_sampler.h"

#include "client/commands/load/load_report.h"
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

std::optional<Spread> spread_of(const Histogram& microseconds) {
  if (microseconds.count() == 0) return std::nullopt;
  const auto ms = [&](std::uint32_t per_mille) {
    return static_cast<double>(microseconds.quantile(per_mille)) / 1'000;
  };
  return Spread{.p50 = ms(500), .p99 = ms(990), .max = ms(1'000)};
}

/// Returns the quantiles of some values. Reorders them.
std::optional<Spread> spread_of(std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  const auto at = [&](double q) {
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  return Spread{.p50 = at(0.5), .p99 = at(0.99), .max = values.back()};
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

client::PredictionCounts added(const client::PredictionCounts& before,
                               const client::PredictionCounts& after) {
  return {.checked = grown(before.checked, after.checked),
          .exact = grown(before.exact, after.exact)};
}

void add_clients(LoadSample& sample, const SwarmStats& before, const SwarmStats& after) {
  std::vector<double> down;
  std::vector<double> up;
  sample.clients.resize(after.each.size());
  for (std::size_t i = 0; i < after.each.size(); ++i) {
    const SwarmStats::Each then = i < before.each.size() ? before.each[i] : SwarmStats::Each{};
    const SwarmStats::Each& now = after.each[i];
    ClientSample& client = sample.clients[i];
    client.snapshot_gap_ms = mean_ms(then.gaps, now.gaps);
    client.rtt_ms = mean_ms(then.round_trips, now.round_trips);
    if (!now.is_connected) continue;
    client.corrected = static_cast<float>(grown(then.corrected, now.corrected));
    const double seconds = i < before.each.size() ? seconds_of(now.read_at - then.read_at) : 0;
    if (seconds < kSecondsMin) continue;
    down.push_back(static_cast<double>(grown(then.bytes_down, now.bytes_down)) / seconds);
    up.push_back(static_cast<double>(grown(then.bytes_up, now.bytes_up)) / seconds);
  }
  sample.bytes_down = spread_of(down);
  sample.bytes_up = spread_of(up);
}

void add_server(LoadSample& sample, const ServerSample& before, const ServerSample& after) {
  const auto figures = figures_between(before, after, 0, 0);
  if (!figures) return;
  const auto ms = [&](double q) { return 1'000 * figures->tick_seconds.quantile(q).value_or(0); };
  sample.tick_ms = Spread{.p50 = ms(0.5), .p99 = ms(0.99), .max = ms(1)};
  sample.tick_overruns = static_cast<std::uint64_t>(std::max(0.0, figures->overruns));
  sample.ticks_skipped = static_cast<std::uint64_t>(figures->skipped);
  sample.server_cpu_percent = figures->cpu_percent;
  sample.server_rss_bytes = figures->resident_bytes;
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

LoadSample sample_between(const SampleEnd& before, const SampleEnd& after, double tick_ms) {
  LoadSample sample;
  sample.seconds = std::max(1e-3, seconds_of(after.moment.at - before.moment.at));
  const client::ClientStats& then = before.stats.sums;
  const client::ClientStats& now = after.stats.sums;
  sample.snapshot_gap_ms = spread_of(now.snapshot_gap.added_since(then.snapshot_gap));
  sample.rtt_ms = spread_of(now.round_trip.added_since(then.round_trip));
  sample.hashes_checked = grown(then.hashes_checked, now.hashes_checked);
  sample.hashes_mismatched = grown(then.hashes_mismatched, now.hashes_mismatched);
  sample.untouched = added(then.untouched, now.untouched);
  sample.touched = added(then.touched, now.touched);
  sample.corrected = grown(then.corrected, now.corrected);
  add_clients(sample, before.stats, after.stats);
  if (before.server != nullptr && after.server != nullptr) {
    add_server(sample, *before.server, *after.server);
  }
  sample.generator_cpu_percent =
      static_cast<double>(grown(before.moment.cpu_microseconds, after.moment.cpu_microseconds)) *
      1e-4 / sample.seconds;
  // The counts of lateness begin again with the measured time.
  const bool is_cleared = after.moment.lateness.count() < before.moment.lateness.count();
  const Histogram late = is_cleared ? after.moment.lateness
                                    : after.moment.lateness.added_since(before.moment.lateness);
  const Duration time_late = most_added(
      is_cleared ? std::vector<Duration>{} : before.moment.time_late, after.moment.time_late);
  sample.late_ms = spread_of(late);
  sample.late_share = std::min(1.0, seconds_of(time_late) / sample.seconds);
  sample.is_too_late = is_too_late(late, sample.late_share, tick_ms);
  return sample;
}

LoadSampler::LoadSampler(const Clock& clock, const Crowd& crowd, ServerWatch* watch)
    : clock_(clock),
      crowd_(crowd),
      watch_(watch),
      start_(clock.now()),
      next_(start_ + kSecond),
      moment_before_{.at = start_, .cpu_microseconds = os::process_use().cpu_microseconds} {}

std::optional<LoadSample> LoadSampler::advance(bool joining) {
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

std::optional<LoadSample> LoadSampler::finish() {
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

LoadSample LoadSampler::complete() {
  reading_->sums.add_distributions(crowd_.distributions());
  std::optional<ServerSample> server;
  if (watch_ != nullptr) server = watch_->newest();
  LoadSample sample = sample_between(
      {.moment = moment_before_,
       .stats = *before_,
       .server = server_before_ ? &*server_before_ : nullptr},
      {.moment = moment_, .stats = *reading_, .server = server ? &*server : nullptr}, tick_ms_);
  sample.at = seconds_of(moment_.at - start_);
  sample.joining = was_joining_;
  sample.states = crowd_.states();
  in_progress_ = false;
  moment_before_ = moment_;
  server_before_ = std::move(server);
  std::swap(before_, reading_);
  return sample;
}

}  // namespace tickbox::commands
