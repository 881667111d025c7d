// tickbox-bench-net: what a packet costs a server, by its outcome.

#include "cli/command_line.h"
#include "net/crypto.h"
#include "tests/bench/frame.h"
#include "tests/bench/net/measure.h"

#include <fmt/format.h>

#include <cstdio>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

constexpr int kRepeatsMax = 100'000;

struct Options {
  cli::CommonFlags flags{};
  int repeats = 200;
};

int run(const Options& options) {
  if (!net::crypto_ready()) {
    fmt::print(stderr, "tickbox-bench-net: {}\n", net::kNoCrypto);
    return cli::to_int(ExitCode::Failed);
  }
  warn_of_slow_build("tickbox-bench-net");
  std::vector<Case> cases = seal_cases();
  for (const auto& more : {packet_cases(), request_cases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  const std::vector<Line> lines = measure(cases, options.repeats);
  fmt::print("{}", table_of(lines));
  if (options.flags.json) fmt::print("{}\n", json_of(lines));
  return exit_code_of("tickbox-bench-net", is_sound(lines),
                      "packets were not treated as their names say");
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description =
           "Times what sealed packets, handshakes and refusals cost a server, through its own "
           "code on a transport in memory, beside a copy and a hash of as many bytes.",
       .example = "tickbox-bench-net --json"},
      options.flags};
  program.add_option("--repeats", options.repeats, "Batches of every kind of packet",
                     {.check = cli::between(1, bench::kRepeatsMax)});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
