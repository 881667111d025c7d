#include "tests/simulator/run.h"

#include "tests/simulator/checks/traffic_check.h"
#include "tests/simulator/checks/view_check.h"
#include "tests/simulator/faults.h"
#include "tests/simulator/hostile.h"
#include "tests/simulator/match.h"
#include "tests/support/allocations.h"

#include <fmt/format.h>

namespace tickbox::simulator {
namespace {

constexpr Duration kWeighingInterval = std::chrono::seconds{10};

/// The parts of a run, and the calls between them.
class Run {
 public:
  explicit Run(const Plan& plan)
      : plan_(plan),
        match_(plan, watcher()),
        findings_(match_.clock()),
        traffic_(findings_, plan.snapshot_bytes),
        recordings_(findings_, match_.sound_game(), match_.map(), plan),
        follower_(findings_, match_, plan.seed),
        clients_(findings_, match_),
        views_(findings_, match_),
        losses_(findings_, match_),
        memory_(findings_),
        hostile_(match_.network(), plan.seed),
        faults_(plan, match_, hostile_, clients_) {
    match_.network().watch([this](const SimulatedNetwork::Passed& passed) {
      const tests::OwnBooks books;
      traffic_.on_passed(passed, match_.server_now());
      losses_.on_passed(passed);
      hostile_.on_passed(passed);
    });
  }

  Outcome play() {
    const Instant start = match_.now();
    Instant look_at = start;
    Instant weigh_at = start;
    while (match_.now() - start < plan_.length && findings_.none()) {
      match_.advance();
      if (match_.now() >= look_at) {
        look_at = match_.now() + Faults::kInterval;
        look();
      }
      if (match_.now() >= weigh_at) {
        weigh_at = match_.now() + kWeighingInterval;
        memory_.look();
      }
    }
    match_.finish_recording();
    for (const Match::Player& player : match_.players()) {
      add_up(player);
    }
    look_at_log();
    clients_.look_back(match_.now() - start);
    if (plan_.profile == Profile::Soak) {
      memory_.look_back(match_.now() - start);
    }
    losses_.look_back(plan_);
    return outcome(match_.now() - start);
  }

 private:
  MatchWatcher watcher() {
    return {.on_recorded = [this](const Recorded& recorded) { recordings_.check(recorded); },
            .on_tick =
                [this](std::uint64_t hash) {
                  traffic_.on_tick(hash);
                  views_.on_tick();
                  if (match_.closes_match()) clients_.match_ended();
                },
            .on_turn =
                [this](std::size_t player) {
                  const tests::OwnBooks books;
                  views_.on_turn(player);
                },
            .on_process_end = [this](const Match::Player& player) { add_up(player); },
            .is_calm = [this](std::size_t player) { return clients_.is_calm(player); }};
  }

  void add_up(const Match::Player& player) {
    clients_.add_up(player);
    losses_.add_up(player);
  }

  void look() {
    {
      const tests::OwnBooks books;
      look_at_log();
      clients_.look();
      follower_.look();
    }
    faults_.look();
  }

  void look_at_log() {
    for (const std::string& line : match_.take_alarms()) {
      findings_.add("log", "no line that asks for somebody to act", line);
    }
    for (const std::string& wrong : match_.commands().take_wrong()) {
      findings_.add("commands", "the commands of each player, once each and in their order", wrong);
    }
  }

  [[nodiscard]] Outcome outcome(Duration played) {
    Outcome outcome{.plan = plan_,
                    .played = played,
                    .findings = findings_.all(),
                    .faults = faults_.counts(),
                    .links = {},
                    .lost_in_bursts = match_.network().lost_in_bursts(),
                    .lost_in_cuts = match_.network().lost_in_cuts(),
                    .hostile = hostile_.sent(),
                    .datagrams = traffic_.datagrams(),
                    .ticks = match_.ticks(),
                    .views = clients_.counts(),
                    .views_compared = views_.views(),
                    .recordings = recordings_.counts(),
                    .followed = follower_.counts(),
                    .losses = losses_.counts(),
                    .servers = match_.server_counts(),
                    .refused_full = match_.disk().state().refused_full,
                    .refused_slow = match_.disk().state().refused_slow,
                    .memory = memory_.counts(),
                    .fingerprint = traffic_.fingerprint()};
    for (std::size_t i = 0; i < plan_.clients.size(); ++i) {
      for (const net::LinkCounts& one : {match_.network().up(i), match_.network().down(i)}) {
        outcome.links.in += one.in;
        outcome.links.lost += one.lost;
        outcome.links.duplicated += one.duplicated;
        outcome.links.reordered += one.reordered;
        outcome.links.corrupted += one.corrupted;
        outcome.links.truncated += one.truncated;
        outcome.links.out += one.out;
      }
    }
    return outcome;
  }

  const Plan& plan_;
  Match match_;
  Findings findings_;
  TrafficCheck traffic_;
  RecordingCheck recordings_;
  FollowCheck follower_;
  ClientCheck clients_;
  ViewCheck views_;
  LossCheck losses_;
  MemoryCheck memory_;
  Hostile hostile_;
  Faults faults_;
};

}  // namespace

Outcome play(const Plan& plan) {
  return Run{plan}.play();
}

std::vector<std::pair<std::string, std::uint64_t>> faults_of(const Outcome& outcome) {
  std::vector<std::pair<std::string, std::uint64_t>> all;
  all.reserve(kFaults);
  for (std::size_t i = 0; i < kFaults; ++i) {
    all.emplace_back(name_of(static_cast<Fault>(i)), outcome.faults[i]);
  }
  const net::LinkCounts& links = outcome.links;
  for (const auto& [name, count] : {std::pair{"lost", links.lost},
                                    {"lost_in_bursts", outcome.lost_in_bursts},
                                    {"lost_in_cuts", outcome.lost_in_cuts},
                                    {"duplicated", links.duplicated},
                                    {"reordered", links.reordered},
                                    {"corrupted", links.corrupted},
                                    {"truncated", links.truncated},
                                    {"hostile_datagrams", outcome.hostile}}) {
    all.emplace_back(name, count);
  }
  return all;
}

std::string command_of(const Plan& plan) {
  std::string command =
      fmt::format("tickbox-simulator --game {} --profile {} --seed {} --seconds {}",
                  plan.game->name, name_of(plan.profile), plan.seed,
                  std::chrono::duration_cast<std::chrono::seconds>(plan.length).count());
  if (plan.is_bench) command += " --bench";
  if (plan.plant != Plant::None) command += fmt::format(" --plant {}", name_of(plan.plant));
  return command;
}

std::string report_of(const Outcome& outcome) {
  const auto seconds = [](Duration duration) {
    return std::chrono::duration<double>(duration).count();
  };
  std::string text = fmt::format(
      "{} {} {} seed {}: {:.1f} s, {} clients, {} Hz, {} views, {} compared, {} inputs owed, "
      "{:.1f} % fresh, {} recordings, {} ticks followed;",
      outcome.findings.empty() ? "ok" : "FAILED", outcome.plan.game->name,
      name_of(outcome.plan.profile), outcome.plan.seed, seconds(outcome.played),
      outcome.plan.clients.size(), outcome.plan.tick_rate, outcome.views.views,
      outcome.views_compared, outcome.recordings.owed, 100 * fresh_share(outcome.views),
      outcome.recordings.recordings, outcome.followed.ticks);
  for (const auto& [name, count] : faults_of(outcome)) {
    if (count > 0) text += fmt::format(" {} {}", name, count);
  }
  text += fmt::format("; fingerprint {:016x}\n", outcome.fingerprint);
  for (const Finding& finding : outcome.findings) {
    text += fmt::format("  {} at {:.3f} s: expected {}; got {}\n", finding.checker,
                        seconds(finding.at), finding.expected, finding.got);
  }
  if (!outcome.findings.empty()) text += fmt::format("  again: {}\n", command_of(outcome.plan));
  return text;
}

}  // namespace tickbox::simulator
