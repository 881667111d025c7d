// tickbox: everything a person runs against a server, a command each.

#include "client/apps/connect.h"
#include "client/apps/load.h"
#include "client/apps/replay.h"
#include "client/apps/sim.h"
#include "client/apps/token.h"
#include "os/command_line.h"
#include "os/failure.h"

#include <cstdio>
#include <functional>

int main(int argc, char** argv) {
  using namespace tickbox;
  CLI::App app;
  os::CommonFlags flags;
  std::function<int()> run;
  os::prepare(app, "Plays on, loads and examines servers of Tickbox.",
              "tickbox connect 127.0.0.1:7777 --seconds 10", flags);
  app.name("tickbox");
  app.require_subcommand(0, 1);
  apps::add_connect(app, run);
  apps::add_load(app, run);
  apps::add_replay(app, run);
  apps::add_sim(app, run);
  apps::add_token(app, run);
  if (const auto exit_code = os::parse_or_exit_code(app, argc, argv)) {
    return os::to_int(*exit_code);
  }
  if (!run && flags.json) {
    return os::to_int(os::tell_failure({.name = "tickbox", .json = true}, os::ExitCode::WrongUsage,
                                       "no command given; see --help"));
  }
  if (!run) {
    std::fputs(app.help().c_str(), stderr);
    return os::to_int(os::ExitCode::WrongUsage);
  }
  return run();
}
