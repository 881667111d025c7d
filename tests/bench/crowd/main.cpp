// tickbox-bench-crowd: what a crowd of clients costs a server per tick, honest or hostile.

#include "cli/command_line.h"
#include "net/crypto.h"
#include "tests/bench/crowd/crowd.h"
#include "tests/bench/frame.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

constexpr int kTicksMax = 100'000;
constexpr int kClientsMax = 4'000;

struct Options {
  cli::CommonFlags flags{};
  int ticks = 1'200;
  int clients = 1'000;
  std::string only;
};

std::vector<CrowdCase> cases_of(std::size_t clients) {
  return {{.name = "spread", .clients = clients, .is_dense = false},
          {.name = "spread volley", .clients = clients, .is_dense = false, .ray_interval = 40},
          {.name = "crowd", .clients = clients},
          {.name = "crowd volley", .clients = clients, .ray_interval = 40},
          {.name = "crowd ageing", .clients = clients, .acks = Acks::Ageing},
          {.name = "crowd late", .clients = clients, .acks = Acks::Late}};
}

nlohmann::ordered_json json_of(const CrowdCase& of, const CrowdCost& cost) {
  return {{"name", of.name},
          {"tick_ms", rounded(cost.median)},
          {"tick_ms_p99", rounded(cost.p99)},
          {"tick_ms_p999", rounded(cost.p999)},
          {"volley_ms", rounded(cost.volley_extra)},
          {"volley_unsent_ms", rounded(cost.volley_stepping)},
          {"gap_ticks_p99", rounded(cost.gap_p99)},
          {"full", cost.full},
          {"put_off", cost.put_off},
          {"hits", cost.hits},
          {"mismatches", cost.mismatches}};
}

int run(const Options& options) {
  if (!net::crypto_ready()) return cli::to_int(ExitCode::Failed);
  warn_of_slow_build("tickbox-bench-crowd");
  fmt::print("{:16} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9} {:>7}\n", "ms per tick",
             "median", "p99", "p99.9", "volley", "unsent", "gap p99", "full", "put off", "hits");
  nlohmann::ordered_json document{{"crowds", nlohmann::ordered_json::array()}, {"sound", true}};
  for (const CrowdCase& each : cases_of(static_cast<std::size_t>(options.clients))) {
    if (!each.name.contains(options.only)) continue;
    const CrowdCost cost = measure_crowd(each, options.ticks);
    fmt::print("{:16} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.2f} {:8.0f} {:9} {:9} {:7}\n", each.name,
               cost.median, cost.p99, cost.p999, cost.volley_extra, cost.volley_stepping,
               cost.gap_p99, cost.full, cost.put_off, cost.hits);
    std::fflush(stdout);
    document["crowds"].push_back(json_of(each, cost));
    if (cost.mismatches != 0) document["sound"] = false;
  }
  if (options.flags.json) fmt::print("{}\n", document.dump());
  return exit_code_of("tickbox-bench-crowd", document["sound"] == true, "a view had a wrong hash");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Times receive, tick and send of a server with a crowd of clients: spread, in "
           "one place, firing rays together, or acknowledging old views.",
       .example = "tickbox-bench-crowd --only volley"},
      options.flags};
  program.add_option("--ticks", options.ticks, "Ticks of each case",
                     {.check = cli::between(1, bench::kTicksMax)});
  program.add_option("--clients", options.clients, "Clients of each case",
                     {.check = cli::between(1, bench::kClientsMax)});
  program.add_option("--only", options.only, "Run the cases whose name has this text");
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
