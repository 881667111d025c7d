// tickbox-simulator: whole matches with faults of every kind, each decided by one seed.

#include "cli/command_line.h"
#include "core/assert.h"
#include "tests/simulator/plan.h"
#include "tests/simulator/run.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tickbox::simulator {
namespace {

using nlohmann::json;

struct Options {
  cli::CommonFlags flags{};
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::uint32_t seconds = 60;
  double hours = 0;
  std::vector<const GameTable*> game;
  std::vector<Profile> profiles;
  std::vector<Plant> plant;
  bool bench = false;
};

/// The command of the present run, for the message of a failed assertion.
std::string& present_command() {
  static std::string command;
  return command;
}

void tell_command(const char* condition, const char* file, int line) {
  fmt::print(stderr, "FAILED assertion {} at {}:{}\n  again: {}\n", condition, file, line,
             present_command());
}

volatile std::sig_atomic_t stop_asked = 0;

void ask_to_stop(int /*signal*/) {
  stop_asked = 1;
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds_of(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::int64_t milliseconds_of(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

/// The sums of all runs.
struct Sum {
  std::uint64_t runs = 0;
  double virtual_seconds = 0;
  std::uint64_t views = 0;
  std::uint64_t recorded_ticks = 0;
  std::map<std::string, std::uint64_t> faults;
  json failures = json::array();
  json lines = json::array();
};

json json_of(const Outcome& outcome) {
  json findings = json::array();
  for (const Finding& finding : outcome.findings) {
    findings.push_back({{"checker", finding.checker},
                        {"expected", finding.expected},
                        {"got", finding.got},
                        {"at_seconds", seconds_of(finding.at)}});
  }
  return {{"game", outcome.plan.game->name},
          {"profile", name_of(outcome.plan.profile)},
          {"seed", outcome.plan.seed},
          {"command", command_of(outcome.plan)},
          {"findings", std::move(findings)}};
}

void add(Sum& sum, const Outcome& outcome) {
  ++sum.runs;
  sum.virtual_seconds += seconds_of(outcome.played);
  sum.views += outcome.views.views;
  sum.recorded_ticks += outcome.recordings.ticks;
  for (const auto& [name, count] : faults_of(outcome)) {
    sum.faults[name] += count;
  }
  sum.lines.push_back({{"game", outcome.plan.game->name},
                       {"profile", name_of(outcome.plan.profile)},
                       {"seed", outcome.plan.seed},
                       {"seconds", seconds_of(outcome.played)},
                       {"fingerprint", fmt::format("{:016x}", outcome.fingerprint)},
                       {"longest_calm_ms", milliseconds_of(outcome.views.longest_calm)},
                       {"longest_recovery_ms", milliseconds_of(outcome.views.longest_recovery)},
                       {"inputs_arrived", outcome.recordings.arrived},
                       {"inputs_substituted", outcome.recordings.substituted},
                       {"inputs_missed_in_calm", outcome.recordings.missed_in_calm},
                       {"memory_early_bytes", outcome.memory.early},
                       {"memory_late_bytes", outcome.memory.late},
                       {"reported_sent", outcome.losses.sent},
                       {"reported_lost", outcome.losses.lost},
                       {"predicted", outcome.views.predicted},
                       {"predicted_exactly", outcome.views.exact},
                       {"held", outcome.findings.empty()}});
  if (!outcome.findings.empty()) sum.failures.push_back(json_of(outcome));
}

json json_of(const Sum& sum, double cpu) {
  return {{"runs", sum.runs},
          {"virtual_seconds", sum.virtual_seconds},
          {"cpu_seconds", cpu},
          {"views", sum.views},
          {"recorded_ticks", sum.recorded_ticks},
          {"faults", sum.faults},
          {"failures", sum.failures},
          {"each", sum.lines}};
}

/// Seeds use profiles in turn, so that any series of seeds has all of them.
Profile profile_of(const Options& options, std::uint64_t seed) {
  if (options.profiles.empty()) return static_cast<Profile>(seed % kProfiles);
  return options.profiles[seed % options.profiles.size()];
}

PlanOptions plan_options(const Options& options, std::uint64_t seed) {
  PlanOptions plan{.seed = seed, .profile = profile_of(options, seed)};
  plan.length = options.hours > 0
                    ? std::chrono::seconds{static_cast<std::int64_t>(options.hours * 3'600)}
                    : std::chrono::seconds{options.seconds};
  plan.game = options.game.empty() ? nullptr : options.game.front();
  plan.plant = options.plant.empty() ? Plant::None : options.plant.front();
  if (options.bench) {
    plan.profile = Profile::Wifi;
    plan.is_bench = true;
  }
  return plan;
}

int run(const Options& options) {
  const double began = cpu_seconds();
  Sum sum;
  for (std::uint64_t i = 0; i < options.seeds && stop_asked == 0; ++i) {
    const Plan plan = make_plan(plan_options(options, options.seed + i));
    present_command() = command_of(plan);
    const Outcome outcome = play(plan);
    add(sum, outcome);
    if (!options.flags.json) fmt::print("{}", report_of(outcome));
    if (options.flags.json && !options.flags.quiet) fmt::print(stderr, "{}", report_of(outcome));
    std::fflush(stdout);
  }
  const double cpu = cpu_seconds() - began;
  if (options.bench && !options.flags.json) {
    fmt::print("{:.0f} virtual seconds in {:.2f} s of one core: {:.0f} times real time\n",
               sum.virtual_seconds, cpu, sum.virtual_seconds / cpu);
  }
  if (options.flags.json) fmt::print("{}\n", json_of(sum, cpu).dump());
  return cli::to_int(sum.failures.empty() ? cli::ExitCode::Done : cli::ExitCode::CheckFailed);
}

}  // namespace
}  // namespace tickbox::simulator

int main(int argc, char** argv) {
  using namespace tickbox;
  simulator::Options options;
  cli::Program program{
      {.description =
           "Plays whole matches, the production server and clients on virtual clocks, a "
           "simulated network and disk, and does to them what its profile says. Everything "
           "follows from the seed. Checks from outside; a failure prints the command that "
           "repeats it, and the exit code is 3. An interrupt ends it after the present run.",
       .example = "tickbox-simulator --seed 1 --seeds 100"},
      options.flags};
  program.add_option(
      "--seed", options.seed, "Of the first run",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  program.add_option("--seeds", options.seeds, "Runs, each with the next seed",
                     {.check = cli::between(1, 1'000'000'000)});
  program.add_option("--seconds", options.seconds, "Virtual time of each run",
                     {.check = cli::between(1, 10'000'000)});
  program.add_option("--hours", options.hours, "The same, in hours",
                     {.check = cli::between(0.001, 1'000.0), .excludes = {"--seconds"}});
  program.add_option(
      "--game", options.game, &simulator::parse_game,
      "arena (by default), platformer, bomber, or a small game: menagerie, which uses "
      "nearly every part of the game interface, or short_match, whose matches end");
  program.add_option(
      "--profile", options.profiles, &simulator::parse_profile,
      "lan, wifi, mobile, soak, mangle or chaos; several take turns, as all do if none "
      "is given");
  program.add_option(
      "--plant", options.plant, &simulator::parse_plant,
      "Plants a bug that is to be found: input-twice, missing-cause, lost-record, other-input, "
      "wrong-key, overspending, other-view, same-sequence, same-nonce, standstill, lossy-link, "
      "deaf-client, deaf-server, or leak (in a soak of 20 minutes and more)");
  program.add_option("--bench", options.bench,
                     "16 clients with the faults of wifi: how many times real time");
  if (const auto exit_code = program.parse(argc, argv)) {
    return cli::to_int(*exit_code);
  }
  set_assert_handler(simulator::tell_command);
  std::signal(SIGINT, simulator::ask_to_stop);
  std::signal(SIGTERM, simulator::ask_to_stop);
  return simulator::run(options);
}
