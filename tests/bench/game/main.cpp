// tickbox-bench-game: what a tick and the snapshots of the arena cost as a game of the public
// interface, beside the arena that is written against common/game. Both step the same match in
// turn. Also: what fixed pellets add to a tick.

#include "cli/command_line.h"
#include "tests/bench/game/both_arenas.h"
#include "tests/bench/game/both_views.h"
#include "tests/bench/game/pellets.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>

namespace tickbox::bench {
namespace {

using cli::ExitCode;

struct Options {
  cli::CommonFlags flags{};
  int ticks = 2'000;
};

void print_line(const char* what, const BeforeAndNow& cost) {
  fmt::print("  {:22} {:10.1f} {:10.1f} {:8.3f}\n", what, cost.before, cost.now,
             cost.now / cost.before);
}

/// Returns whether every client made the server's views.
bool print_views(int ticks) {
  bool is_right = true;
  for (const ViewCase& of : {ViewCase{.name = "wander", .players = 200},
                             ViewCase{.name = "stress", .players = 200, .is_stress = true},
                             ViewCase{.name = "wander", .players = 200, .base_age = 20}}) {
    const ViewCosts costs = measure_views(of, ticks);
    fmt::print("{}, {} clients, bases of {} ticks\n", of.name, of.players, of.base_age);
    print_line("room's tick, us", costs.tick);
    print_line("all snapshots, us", costs.plan);
    print_line("view by one step, us", costs.view);
    print_line("view from its base, us", costs.late);
    print_line("bytes of a datagram", costs.bytes);
    print_line("members of a view", costs.members);
    std::fflush(stdout);
    is_right = is_right && costs.refused == 0;
  }
  return is_right;
}

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
  fmt::print("\n{:24} {:>10} {:>8} {:>10} {:>8} {:>10} {:>8}\n", "us per tick, median", "step",
             "ratio", "hash", "ratio", "rows", "bodies");
  const std::array<PelletCosts, 3> pellets = measure_pellets(options.ticks);
  for (const PelletCosts& costs : pellets) {
    fmt::print("{:24} {:10.2f} {:8.2f} {:10.2f} {:8.2f} {:10.2f} {:8}\n", costs.name, costs.step,
               costs.step / pellets[0].step, costs.hash, costs.hash / pellets[0].hash, costs.rows,
               costs.bodies);
  }
  const bool is_right = print_views(options.ticks);
  if (is_equal && is_right) return cli::to_int(ExitCode::Done);
  if (!is_right) fmt::print(stderr, "tickbox-bench-game: a client made a wrong view\n");
  if (is_equal) return cli::to_int(ExitCode::CheckFailed);
  fmt::print(stderr, "tickbox-bench-game: the two forms of the arena moved a body differently\n");
  return cli::to_int(ExitCode::CheckFailed);
}

}  // namespace
}  // namespace tickbox::bench

int main(int argc, char** argv) {
  using namespace tickbox;
  bench::Options options;
  cli::Program program{
      {.description = "Times a tick and the snapshots of the arena in both of its forms, in turn, "
                      "and a tick with fixed pellets.",
       .example = "tickbox-bench-game --ticks 500"},
      options.flags};
  program.add_option("--ticks", options.ticks, "Ticks of each case",
                     {.check = cli::between(1, 1'000'000)});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  return bench::run(options);
}
