// tickbox-bench-game: what thousands of fixed entities cost a whole server per tick, what players
// in one place cost a step, and what large views cost in memory.

#include "cli/command_line.h"
#include "net/crypto.h"
#include "tests/bench/frame.h"
#include "tests/bench/game/costs.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

struct Options {
  cli::CommonFlags flags{};
  int ticks = 2'000;
};

/// Prints a table, and adds its lines to the document. Returns the number of views whose hash
/// differed.
std::uint64_t print_pellets(int ticks, Json& document) {
  fmt::print("{:24} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "us per tick, median", "tick", "sending",
             "share", "members", "bodies");
  const std::array<PelletCost, 4> costs = measure_pellets(ticks);
  std::uint64_t mismatches = 0;
  for (const PelletCost& cost : costs) {
    fmt::print("{:24} {:8.1f} {:8.1f} {:8.2f} {:8.0f} {:8}\n", cost.name, cost.tick, cost.sending,
               cost.share_beyond(costs[0]), cost.members, cost.bodies);
    document["pellets"].push_back({{"name", cost.name},
                                   {"tick_us", rounded(cost.tick)},
                                   {"sending_us", rounded(cost.sending)},
                                   {"members", rounded(cost.members)},
                                   {"bodies", cost.bodies}});
    mismatches += cost.mismatches;
  }
  return mismatches;
}

void print_start(int ticks, Json& document) {
  fmt::print("\n{:24} {:>8}\n", "us per step, median", "step");
  for (const int players : {100, 200, 400, 1'000}) {
    const double step = measure_start(static_cast<std::uint16_t>(players), ticks);
    fmt::print("{:24} {:8.1f}\n", fmt::format("{} at one checkpoint", players), step);
    document["checkpoint"].push_back({{"players", players}, {"step_us", rounded(step)}});
  }
}

std::uint64_t print_memory(Json& document) {
  fmt::print("\n{:24} {:>8} {:>8}\n", "KB per client", "server", "client");
  std::uint64_t mismatches = 0;
  for (const Views views : {Views::Small, Views::Large}) {
    const ViewMemory memory = measure_memory(views);
    fmt::print("{:24} {:8.0f} {:8.0f}\n", fmt::format("views of {:.0f} members", memory.members),
               memory.server / 1e3, memory.client / 1e3);
    document["memory"].push_back({{"members", rounded(memory.members)},
                                  {"server_kb", rounded(memory.server / 1e3)},
                                  {"client_kb", rounded(memory.client / 1e3)}});
    mismatches += memory.mismatches;
  }
  return mismatches;
}

int run(const Options& options) {
  if (!net::crypto_ready()) return cli::to_int(ExitCode::Failed);
  warn_of_slow_build("tickbox-bench-game");
  Json document;
  std::uint64_t mismatches = print_pellets(options.ticks, document);
  print_start(options.ticks, document);
  std::fflush(stdout);
  mismatches += print_memory(document);
  document["sound"] = mismatches == 0;
  if (options.flags.json) fmt::print("{}\n", document.dump());
  return exit_code_of("tickbox-bench-game", mismatches == 0, "a view had a wrong hash");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Times the ticks of a whole server with 16 clients, without and with 4,000 "
           "fixed pellets, and the steps of platformer players at one checkpoint. Measures the "
           "memory of a client at both ends.",
       .example = "tickbox-bench-game --ticks 500"},
      options.flags};
  program.add_option("--ticks", options.ticks, "Ticks of each case",
                     {.check = cli::between(1, 1'000'000)});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
