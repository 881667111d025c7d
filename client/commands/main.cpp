// tickbox: the tools for use with a server, one command each.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "os/process/standard_output.h"

#include <functional>

int main(int argc, char** argv) {
  using namespace tickbox;
  cli::CommonFlags flags;
  std::function<int()> run;
  cli::Program program{{.name = "tickbox",
                        .description = "Play on, load-test and examine Tickbox servers.",
                        .example = "tickbox connect 127.0.0.1:7777"},
                       flags};
  program.allow_command();
  commands::add_connect(program, run);
  commands::add_load(program, run);
  commands::add_replay(program, run);
  commands::add_sim(program, run);
  commands::add_token(program, run);
  commands::add_figures_help(program);
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);
  if (!run && flags.json) {
    return cli::to_int(cli::tell_failure({.name = "tickbox", .json = true},
                                         cli::ExitCode::WrongUsage,
                                         "no command given; see --help"));
  }
  if (!run) {
    os::write_to_stderr(program.help());
    return cli::to_int(cli::ExitCode::WrongUsage);
  }
  return run();
}
