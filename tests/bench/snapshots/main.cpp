// tickbox-bench-snapshots measures what a server sends to a client: bytes per second, by link, rate
// and purpose.
//
// The production server and production clients on a virtual clock: a figure depends on the seed
// alone, not on the machine.

#include "cli/command_line.h"
#include "tests/bench/snapshots/bandwidth.h"
#include "tests/bench/snapshots/cost.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

namespace tickbox::bench {
namespace {

struct Options {
  cli::CommonFlags flags{};
  int seconds = 60;
  std::uint64_t seed = 1;
  std::string only;
  bool cost = false;
};

constexpr int kTicksMeasured = 300;

/// Bases as old as at a round trip of 80 ms, and the worst that clients can ask for: other sticks
/// every tick, and bases that are almost too old.
constexpr std::array kCostCases{
    CostCase{.name = "wandering", .clients = 200, .stroll = Strolls::Calmly, .base_age = 6},
    CostCase{.name = "wandering", .clients = 1'000, .stroll = Strolls::Calmly, .base_age = 6},
    CostCase{.name = "wild", .clients = 1'000, .stroll = Strolls::Wildly, .base_age = 59}};

int run_cost(const Options& options) {
  bool is_sound = true;
  for (const CostCase& one : kCostCases) {
    if (!fmt::format("{} clients, {}", one.clients, one.name).contains(options.only)) continue;
    const SnapshotCost cost = measure_cost(one, kTicksMeasured);
    fmt::print("{}", text_of(cost));
    is_sound = is_sound && cost.mismatches == 0;
  }
  return cli::to_int(is_sound ? cli::ExitCode::Done : cli::ExitCode::CheckFailed);
}

/// Measures each case, and prints its row as soon as it is there.
int run(const Options& options) {
  if (options.cost) return run_cost(options);
  fmt::print("{}", bandwidth_head());
  std::vector<Bandwidth> measured;
  for (const BandwidthCase& one : bandwidth_cases()) {
    if (!one.name.contains(options.only)) continue;
    measured.push_back(measure_bandwidth(one, options.seconds, options.seed));
    fmt::print("{}", row_of(measured.back()));
    std::fflush(stdout);
  }
  if (options.flags.json) fmt::print("{}\n", json_of(measured));
  for (const Bandwidth& one : measured) {
    if (one.mismatches != 0) return cli::to_int(cli::ExitCode::CheckFailed);
  }
  return cli::to_int(cli::ExitCode::Done);
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Measures what a client is sent: UDP payload per second, the median over all clients "
           "of a match, by link, snapshot rate and part.",
       .example = "tickbox-bench-snapshots --json"},
      options.flags};
  program.add_option("--seconds", options.seconds, "Virtual time measured, after 5 s to settle",
                     {.check = cli::between(1, 3'600)});
  program.add_option(
      "--seed", options.seed, "Of the match and its links",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  program.add_option("--only", options.only, "Cases whose name holds this", {.value = "TEXT"});
  program.add_option(
      "--cost", options.cost,
      "Instead: the processor time that snapshots take, on the server and on a client");
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
