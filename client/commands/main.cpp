// tickbox: everything a person runs against a server, a command each.

#include "cli/command_line.h"
#include "cli/failure.h"
#include "client/commands/commands.h"
#include "os/process/standard_output.h"

#include <functional>

int main(int argc, char** argv) {
  using namespace tickbox;
  os::CommonFlags flags;
  std::function<int()> run;
  os::Program program{{.name = "tickbox",
                       .description = "Plays on, loads and examines servers of Tickbox.",
                       .example = "tickbox connect 127.0.0.1:7777 --seconds 10"},
                      flags};
  program.allow_command();
  apps::add_connect(program, run);
  apps::add_load(program, run);
  apps::add_replay(program, run);
  apps::add_sim(program, run);
  apps::add_token(program, run);
  if (const auto exit_code = program.parse(argc, argv)) {
    return os::to_int(*exit_code);
  }
  if (!run && flags.json) {
    return os::to_int(os::tell_failure({.name = "tickbox", .json = true}, os::ExitCode::WrongUsage,
                                       "no command given; see --help"));
  }
  if (!run) {
    os::write_to_stderr(program.help());
    return os::to_int(os::ExitCode::WrongUsage);
  }
  return run();
}
