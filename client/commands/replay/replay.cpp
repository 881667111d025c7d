#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/replay/replay_commands.h"
#include "os/process/standard_output.h"

#include <fmt/core.h>

namespace tickbox::commands {
namespace {

constexpr std::string_view kReplayName = "tickbox replay";

}  // namespace

bool ReplayFlags::json() const {
  return common.json || program->is_on("--json");
}

bool ReplayFlags::quiet() const {
  return common.quiet || program->is_on("--quiet");
}

void add_new_file(cli::Command& command, std::string& out, const std::string& help) {
  const auto check = [](const std::string& name) {
    return name == "-" ? std::string{"stdout is not possible here; name a file, or ./- for one of "
                                     "that name"}
                       : std::string{};
  };
  command.add_option("-o,--out", out, help,
                     {.required = true, .value = "G", .check = {check, "FILE"}});
}

int replay_failed(const ReplayFlags& flags, cli::ExitCode code, std::string_view why) {
  return cli::to_int(cli::tell_failure({.name = kReplayName, .json = flags.json()}, code, why));
}

int replay_fell_short(cli::ExitCode code, std::string_view how) {
  return cli::to_int(cli::tell_failure({.name = kReplayName}, code, how));
}

int replay_result(std::string_view text, cli::ExitCode code) {
  const auto written = os::write_to_stdout(text);
  return written ? cli::to_int(code) : replay_fell_short(cli::ExitCode::Failed, written.error());
}

void replay_note(const ReplayFlags& flags, std::string_view note) {
  if (!flags.quiet()) os::write_to_stderr(fmt::format("tickbox replay: {}\n", note));
}

void add_replay(cli::Command& program, std::function<int()>& run) {
  auto flags = std::make_shared<ReplayFlags>();
  flags->program = &program;
  cli::Command replay = program.add_command(
      {.name = "replay",
       .description = "Read recordings that tickbox-server --record has written",
       .example = "tickbox replay verify recordings/MATCH.tickbox"},
      flags->common);
  replay.require_command();
  const ReplayCommand place{.replay = replay, .run = run, .flags = flags};
  add_replay_info(place);
  add_replay_verify(place);
  add_replay_state(place);
  add_replay_trace(place);
  add_replay_diff(place);
  add_replay_cut(place);
  add_replay_repair(place);
  add_replay_inputs(place);
}

}  // namespace tickbox::commands
