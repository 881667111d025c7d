// The program `tickbox` with its commands, for all games of a list or for one game.

#include "tickbox/program.h"

#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "core/assert.h"
#include "os/process/standard_output.h"
#include "tickbox/game_table.h"

#include <fmt/core.h>

#include <array>

namespace tickbox::commands {

int run_client(int argc, char** argv, const ClientProgram& client) {
  set_assert_handler(&os::report_failed_condition);
  cli::CommonFlags flags;
  std::function<int()> run;
  cli::Program program{{.name = client.name,
                        .description = "Play on, load-test and examine Tickbox servers.",
                        .example = client.name + " connect 127.0.0.1:7777",
                        .plays = client.plays},
                       flags};
  program.allow_command();
  add_connect(program, client.games, run);
  add_load(program, client.games, run);
  add_replay(program, client.games, client.page, run);
  add_sim(program, run);
  add_token(program, run);
  add_figures_help(program);
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  if (!run && flags.json) {
    return cli::to_int(cli::report_failure({.name = client.name, .json = true},
                                           cli::ExitCode::WrongUsage,
                                           "no command given; see --help"));
  }
  if (!run) {
    os::write_to_stderr(program.help());
    return cli::to_int(cli::ExitCode::WrongUsage);
  }
  return run();
}

}  // namespace tickbox::commands

int tickbox::run_client(int argc, char** argv, const GameTable& game, std::string_view page) {
  const std::array<const GameTable*, 1> games{&game};
  return commands::run_client(argc, argv,
                              {.games = games,
                               .page = page,
                               .name = cli::program_name(argc, argv, "tickbox"),
                               .plays = fmt::format("{} {}", game.name, game.version)});
}
