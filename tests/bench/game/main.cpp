// tickbox-bench-game: what a tick of the arena costs as a game of the public interface, beside the
// arena that is written against common/game. Both step the same match in turn.

#include "cli/command_line.h"
#include "tests/bench/game/both_arenas.h"

#include <fmt/format.h>

#include <cstdio>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

struct Options {
  cli::CommonFlags flags{};
  int ticks = 2'000;
};

int run(const Options& options) {
#if !defined(__OPTIMIZE__) || defined(TICKBOX_AUDIT)
  fmt::print(stderr, "tickbox-bench-game: not a release build; its times mean nothing\n");
#endif
  fmt::print("{:24} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8} {:>8}\n", "us per tick, median", "step",
             "engine", "ratio", "hash", "engine", "ratio", "bodies");
  bool is_equal = true;
  for (const ArenaCase& of :
       {ArenaCase{.name = "wander, 200", .players = 200},
        ArenaCase{.name = "stress, 200", .players = 200, .is_stress = true},
        ArenaCase{.name = "wander, 1000", .players = 1'000},
        ArenaCase{.name = "stress, 1000", .players = 1'000, .is_stress = true}}) {
    const ArenaCosts costs = measure_arena(of, options.ticks);
    fmt::print("{:24} {:10.1f} {:10.1f} {:8.2f} {:10.1f} {:10.1f} {:8.2f} {:8}\n", of.name,
               costs.step.before, costs.step.now, costs.step.now / costs.step.before,
               costs.hash.before, costs.hash.now, costs.hash.now / costs.hash.before, costs.bodies);
    std::fflush(stdout);
    is_equal = is_equal && costs.is_equal;
  }
  if (is_equal) return cli::to_int(ExitCode::Done);
  fmt::print(stderr, "tickbox-bench-game: the two forms of the arena moved a body differently\n");
  return cli::to_int(ExitCode::CheckFailed);
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{{.description = "Times a tick of the arena in both of its forms, in turn.",
                        .example = "tickbox-bench-game --ticks 500"},
                       options.flags};
  program.add_option("--ticks", options.ticks, "Ticks of each case",
                     {.check = cli::between(1, 1'000'000)});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
