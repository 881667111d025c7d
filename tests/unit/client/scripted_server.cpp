#include "tests/unit/client/scripted_server.h"

#include "client/connection/clock_sync.h"
#include "core/rng.h"
#include "protocol/snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>

namespace tickbox::client {
namespace {

constexpr Instant kStart{std::chrono::hours{1}};
constexpr Tick kOpened{1'000};
constexpr std::uint32_t kInputsMax = 64;

struct Packet {
  Instant sent;
  Instant arrives;
  std::uint64_t sequence = 0;
  Tick first;
  Tick last;
  ClockSync::Reading clock;
};

struct Snapshot {
  Instant arrives;
  std::uint64_t newest = 0;  ///< sequence; 0: none received
  std::int32_t margin = 0;
  ClockSync::Reading clock;
  Tick confirmed;
  std::uint32_t missed = 0;  ///< since the start
};

class Script {
 public:
  Script(const Way& way, const ScriptOptions& options)
      : way_(way),
        options_(options),
        period_(tick_duration(options.tick_rate)),
        rng_(options.seed),
        clock_(options.tick_rate, kOpened, round_trip() + options.guessed_more,
               kStart + round_trip() / 2) {
    confirmed_ = {clock_.next().value - 1};
  }

  Played run() {
    Instant now = clock_.next_due();
    while (now - kStart < options_.length) {
      serve(now);
      receive(now);
      send(now);
      now = next_turn(now);
    }
    return std::move(played_);
  }

 private:
  [[nodiscard]] Duration round_trip() const { return way_.delay(Duration{}) * 2; }

  /// The time at which the server uses the inputs of a tick.
  [[nodiscard]] Instant use_of(Tick tick) const {
    const Duration at_server = (tick - kOpened) * period_;
    return kStart + (way_.at_client ? way_.at_client(at_server) : at_server);
  }

  /// The arrival of a packet that is sent at `sent`; nothing if it is lost.
  std::optional<Instant> arrival(Instant sent) {
    const auto later =
        static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(way_.jitter.count()) + 1));
    const bool lost = rng_.chance(way_.loss_percent, 100);
    if (lost) return std::nullopt;
    return sent + way_.delay(sent - kStart) + Duration{later};
  }

  [[nodiscard]] Instant next_turn(Instant now) const {
    Instant next = clock_.next_due();
    for (const Snapshot& snapshot : down_)
      next = std::min(next, snapshot.arrives);
    next = std::max(next, now + Duration{1});
    if (options_.turns_per_second > 0) {
      next = now + Duration{std::chrono::seconds{1}} / options_.turns_per_second;
    }
    const Instant pause = kStart + options_.pause_from;
    const bool paused = next >= pause && next < pause + options_.pause_length;
    return paused ? pause + options_.pause_length : next;
  }

  void serve(Instant until) {
    for (; use_of(stepped_ + 1) <= until; stepped_ = stepped_ + 1) {
      step(stepped_ + 1, use_of(stepped_ + 1));
    }
  }

  void step(Tick tick, Instant at) {
    std::ranges::stable_sort(up_, {}, &Packet::arrives);
    for (; !up_.empty() && up_.front().arrives <= at; up_.pop_front())
      take(up_.front());
    if (newest_ == 0) return;  // no client plays yet
    const bool missed = !arrived_.contains(tick);
    missed_ += missed ? 1U : 0U;
    played_.steps.push_back({.at = at - kStart, .missed = missed});
    arrived_.erase(arrived_.begin(), arrived_.upper_bound(tick));
    if (tick.value % (options_.tick_rate / options_.snapshots_per_second) != 0) return;
    Tick complete = tick;
    while (arrived_.contains(complete + 1))
      complete = complete + 1;
    if (const auto arrives = arrival(at)) {
      down_.push_back({.arrives = *arrives,
                       .newest = newest_,
                       .margin = newest_margin_,
                       .clock = newest_clock_,
                       .confirmed = complete,
                       .missed = missed_});
    }
  }

  void take(const Packet& packet) {
    for (Tick tick = packet.first; tick <= packet.last; tick = tick + 1)
      arrived_.insert(tick);
    const double margin = static_cast<double>((use_of(packet.last) - packet.arrives).count()) /
                          static_cast<double>(period_.count());
    played_.packets.push_back({.sent = packet.sent - kStart, .margin = margin});
    if (packet.sequence <= newest_) return;
    newest_ = packet.sequence;
    newest_clock_ = packet.clock;
    newest_margin_ = protocol::decode_margin(
        protocol::encode_margin(static_cast<std::int64_t>(std::floor(margin * 16))));
  }

  void receive(Instant now) {
    std::ranges::stable_sort(down_, {}, &Snapshot::arrives);
    for (; !down_.empty() && down_.front().arrives <= now; down_.pop_front()) {
      const Snapshot& snapshot = down_.front();
      confirmed_ = std::max(confirmed_, snapshot.confirmed);
      if (snapshot.missed > told_missed_) clock_.on_missed();
      told_missed_ = std::max(told_missed_, snapshot.missed);
      if (snapshot.newest > told_) clock_.on_margin(snapshot.margin, snapshot.clock);
      told_ = std::max(told_, snapshot.newest);
    }
  }

  void send(Instant now) {
    if (clock_.begin_turn(now) > 0) confirmed_ = {clock_.next().value - 1};
    std::size_t ran = 0;
    for (; clock_.next_due() <= now; ++ran)
      clock_.ran();
    played_.most_ticks_in_a_turn = std::max(played_.most_ticks_in_a_turn, ran);
    if (ran == 0) return;
    const Tick last{clock_.next().value - 1};
    const std::uint32_t most = clock_.inputs_in_time().value_or(kInputsMax);
    const Tick in_time{last.value - std::min(most, kInputsMax) + 1};
    const Tick oldest = std::min(in_time, {last.value - static_cast<std::uint32_t>(ran) + 1});
    ++sequence_;
    if (const auto arrives = arrival(now)) {
      up_.push_back({.sent = now,
                     .arrives = *arrives,
                     .sequence = sequence_,
                     .first = std::max(oldest, confirmed_ + 1),
                     .last = last,
                     .clock = clock_.reading()});
    }
  }

  const Way& way_;
  ScriptOptions options_;
  Duration period_;
  Rng rng_;
  ClockSync clock_;
  std::deque<Packet> up_;
  std::deque<Snapshot> down_;
  Played played_;

  // The server.
  Tick stepped_ = kOpened;
  std::set<Tick> arrived_;
  std::uint64_t newest_ = 0;
  std::int32_t newest_margin_ = 0;
  ClockSync::Reading newest_clock_{};
  std::uint32_t missed_ = 0;

  // The client.
  std::uint64_t sequence_ = 0;
  Tick confirmed_;
  std::uint64_t told_ = 0;
  std::uint32_t told_missed_ = 0;
};

}  // namespace

Played play(const Way& way, const ScriptOptions& options) {
  return Script{way, options}.run();
}

Summary summary_of(const Played& played, Duration from, Duration until) {
  const auto within = [&](Duration at) { return at >= from && at < until; };
  std::vector<double> margins;
  for (const Seen& seen : played.packets) {
    if (within(seen.sent)) margins.push_back(seen.margin);
  }
  std::size_t steps = 0;
  Summary summary;
  for (const Step& step : played.steps) {
    steps += within(step.at) ? 1U : 0U;
    summary.missed_count += within(step.at) && step.missed ? 1U : 0U;
  }
  if (margins.empty() || steps == 0) {
    ADD_FAILURE() << "nothing arrived in that time";
    return summary;
  }
  std::ranges::sort(margins);
  summary.missed = static_cast<double>(summary.missed_count) / static_cast<double>(steps);
  summary.least = margins.front();
  summary.low = margins[margins.size() / 50];
  summary.middle = margins[margins.size() / 2];
  summary.most = margins.back();
  return summary;
}

}  // namespace tickbox::client
