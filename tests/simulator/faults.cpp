#include "tests/simulator/faults.h"

#include <algorithm>

namespace tickbox::simulator {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

/// What `chronyd` does at most, by default, in parts per million.
constexpr std::int32_t kSlewMost = 85'000;
constexpr std::uint64_t kLooksPerHour = hours{1} / Faults::kInterval;

}  // namespace

Faults::Faults(const Plan& plan, Match& match, Hostile& hostile, ClientCheck& clients)
    : plan_(plan),
      likelihoods_(likelihoods_of(plan.profile)),
      match_(match),
      hostile_(hostile),
      clients_(clients),
      rng_(plan.seed + (std::uint64_t{1} << 61U)),
      slew_rng_(plan.seed + (std::uint64_t{1} << 60U)) {}

void Faults::look() {
  const Instant now = match_.now();
  for (const Ending& ending : endings_) {
    if (ending.at <= now) end(ending);
  }
  std::erase_if(endings_, [now](const Ending& ending) { return ending.at <= now; });
  replace_who_were_sent_away();
  for (std::size_t i = 0; i < kFaults; ++i) {
    Rng& rng = static_cast<Fault>(i) == Fault::Slew ? slew_rng_ : rng_;
    if (!rng.chance(likelihoods_.faults_per_hour[i], kLooksPerHour)) continue;
    ++counts_[i];
    begin(static_cast<Fault>(i));
  }
}

Duration Faults::up_to(Duration most) {
  return milliseconds{1 + rng_.below(static_cast<std::uint64_t>(most / milliseconds{1}))};
}

Duration Faults::mostly(Duration most, Duration seldom) {
  return up_to(rng_.chance(1, 8) ? seldom : most);
}

void Faults::last(Fault fault, std::size_t player, Duration duration) {
  const Instant until = match_.now() + duration;
  endings_.push_back({.at = until, .fault = fault, .player = player});
  clients_.disturb(player, until);
}

void Faults::disturb_all(Instant until) {
  for (std::size_t i = 0; i < match_.players().size(); ++i) {
    clients_.disturb(i, until);
  }
}

void Faults::begin(Fault fault) {
  switch (fault) {
    case Fault::Stall:
    case Fault::Leap:
    case Fault::Calendar:
    case Fault::Crash:
    case Fault::Drain:
    case Fault::SlowDisk:
    case Fault::FullDisk:
    case Fault::Keys:
      return begin_at_server(fault);
    case Fault::Slew:
      return slew();
    case Fault::Storm:
      return storm();
    case Fault::Hostile:
      return hostile_.salvo(static_cast<std::uint32_t>(1 + rng_.below(200)),
                            match_.players().size());
    default:
      return begin_at_client(fault, rng_.below(match_.players().size()));
  }
}

void Faults::begin_at_client(Fault fault, std::size_t player) {
  const Instant now = match_.now();
  const Instant later = now + mostly(seconds{1}, seconds{8});
  clients_.disturb(player, later);
  switch (fault) {
    case Fault::Burst:
      match_.network().lose_more(player, static_cast<std::uint32_t>(500'000 + rng_.below(500'000)));
      return last(fault, player, up_to(seconds{2}));
    case Fault::PartitionUp:
      match_.network().cut_up(player, true);
      return last(fault, player, later - now);
    case Fault::PartitionDown:
      match_.network().cut_down(player, true);
      return last(fault, player, later - now);
    case Fault::Cut:
      match_.network().cut(player);
      return last(fault, player, later - now);
    case Fault::Move:
      return match_.move(player);
    case Fault::Pause:
      return match_.pause(player, later);
    case Fault::ClockJump:
      return match_.jump_clock(player, later - now);
    case Fault::Suspend:
      match_.pause(player, later);
      return match_.jump_clock(player, now - later);
    case Fault::Kill:
      return match_.kill(player, later);
    case Fault::Theft: {
      const std::size_t victim = rng_.below(match_.players().size());
      clients_.disturb(victim, later);
      return match_.steal(player, victim, later);
    }
    default:
      return match_.leave(player, later);
  }
}

void Faults::begin_at_server(Fault fault) {
  const Instant now = match_.now();
  const Instant until = now + mostly(milliseconds{400}, seconds{6});
  switch (fault) {
    case Fault::Stall:
      disturb_all(until);
      return match_.stall(until);
    case Fault::Leap:
      disturb_all(now);
      return match_.leap_server(until - now);
    case Fault::Crash:
      disturb_all(until);
      match_.crash();
      return match_.stall(until);
    case Fault::Drain:
      disturb_all(until);
      match_.drain();
      return match_.stall(until);
    case Fault::Keys:
      disturb_all(now);
      return rng_.chance(1, 4) ? match_.retire_keys() : match_.add_key();
    case Fault::SlowDisk:
      return match_.disk().slow_down(now + up_to(seconds{10}));
    case Fault::FullDisk:
      return match_.disk().fill_up(now + up_to(seconds{8}));
    default:
      return match_.calendar().jump(milliseconds{minutes{10}} -
                                    milliseconds{rng_.below(20 * 60'000)});
  }
}

/// Most clients leave within this millisecond, and come back within another one.
void Faults::storm() {
  const Instant back = match_.now() + up_to(seconds{3});
  const bool politely = rng_.chance(1, 2);
  for (std::size_t i = 0; i < match_.players().size(); ++i) {
    if (rng_.chance(1, 4)) continue;
    clients_.disturb(i, back);
    if (politely) {
      match_.leave(i, back);
    } else {
      match_.replace(i, back);
    }
  }
}

/// This disturbs nobody: a client follows the rate of its server's clock, and goes on.
void Faults::slew() {
  const std::size_t players = match_.players().size();
  const std::size_t player = slew_rng_.chance(1, 2) ? players : slew_rng_.below(players);
  const auto ppm = static_cast<std::int32_t>(slew_rng_.below(2 * kSlewMost + 1)) - kSlewMost;
  player == players ? match_.drift_server(ppm) : match_.drift(player, ppm);
  const milliseconds length{1 + slew_rng_.below(10'000)};
  endings_.push_back({.at = match_.now() + length, .fault = Fault::Slew, .player = player});
}

void Faults::end(const Ending& ending) {
  SimulatedNetwork& network = match_.network();
  switch (ending.fault) {
    case Fault::Slew:
      return ending.player == match_.players().size()
                 ? match_.drift_server(0)
                 : match_.drift(ending.player, plan_.clients[ending.player].drift_ppm);
    case Fault::Burst:
      return network.lose_more(ending.player, 0);
    case Fault::PartitionUp:
      return network.cut_up(ending.player, false);
    case Fault::PartitionDown:
      return network.cut_down(ending.player, false);
    default:
      return network.mend(ending.player);
  }
}

void Faults::replace_who_were_sent_away() {
  for (std::size_t i = 0; i < match_.players().size(); ++i) {
    const Match::Player& player = match_.players()[i];
    if (player.client == nullptr || !player.client->connection().over()) continue;
    match_.replace(i, match_.now() + up_to(seconds{1}));
  }
}

}  // namespace tickbox::simulator
