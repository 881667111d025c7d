// `tickbox replay inputs`: writes the inputs of the players of a recording to a file that `tickbox
// load --inputs` plays. Exit codes: 0; 1 the recording cannot be read or has no players, or the
// file cannot be written; 3 the recording is damaged inside, and the file has only the undamaged
// parts, or its header is damaged, and no file is made; 5 stopped before its end.

#include "client/commands/new_file.h"
#include "client/commands/play/input_script.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "os/process/signals.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct InputsFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::string out{};
};

ExitCode run_inputs(const InputsFlags& options) {
  const auto match = open_match(options.file, *options.output);
  if (!match) return match.error();
  const os::Interruption interruption;
  const auto gathered =
      script_of(match->reader(), match->setting, [&] { return interruption.requested(); });
  if (!gathered) {
    const std::uint32_t ticks = gathered.error();
    return options.output->stopped(ticks, fmt::format("stopped after {} of {}; no file was made",
                                                      counted(ticks, "tick"), options.file));
  }
  const InputScript& script = *gathered;
  if (script.players.empty()) {
    return options.output->failed(ExitCode::Failed,
                                  fmt::format("{} has no players; no file was made", options.file));
  }
  const auto file = NewFile::create(options.out);
  if (!file) return options.output->failed(ExitCode::Failed, file.error());
  (void)(*file)->write(as_bytes_of(std::string_view{to_text(script)}));
  if (const auto closed = (*file)->close(); !closed) {
    return options.output->failed(ExitCode::Failed, closed.error());
  }
  const std::uint32_t damages = record::summarize(match->reader(), &match->setting).records.damages;
  if (damages > 0) {
    options.output->print_note(
        fmt::format("{} is damaged inside: in the lost ticks, if there are any, {} has neutral "
                    "inputs",
                    options.file, options.out));
  }
  const ExitCode code = damages == 0 ? ExitCode::Done : ExitCode::CheckFailed;
  if (options.output->json()) {
    return options.output->print_document(nlohmann::ordered_json{{"file", options.out},
                                                                 {"players", script.players.size()},
                                                                 {"ticks", script.ticks},
                                                                 {"tick_rate", script.tick_rate},
                                                                 {"damages", damages}},
                                          code, options.file + " is damaged inside");
  }
  return options.output->print(
      std::string_view{fmt::format("{}: {}, {} at {} Hz\n", printable(options.out),
                                   counted(script.players.size(), "player"),
                                   counted(script.ticks, "tick"), script.tick_rate)},
      code);
}

}  // namespace

void add_replay_inputs(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "inputs",
       .description = "Write the players' inputs to a file for `load --inputs`. Each seat "
                      "becomes one client. Exit 3 if the recording is damaged inside, 5 if stopped "
                      "early; no file is made in the latter case.",
       .example = place.output->name + " inputs match.tickbox -o match.inputs"},
      run_inputs);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  add_new_file(command, options->out, "The new file; it must not exist");
}

}  // namespace tickbox::commands
