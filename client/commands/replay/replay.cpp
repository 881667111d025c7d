// The command `tickbox replay`, and the functions that its commands share: they open recordings,
// find the game and the map, and write texts.

#include "cli/build_info.h"
#include "client/commands/commands.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "engine/identity.h"
#include "os/files/file.h"

#include <fmt/format.h>

#include <utility>

namespace tickbox::commands {

using cli::ExitCode;

void add_new_file(cli::CommandParser& command, std::string& out, const std::string& help) {
  const auto check = [](const std::string& name) {
    return name == "-" ? std::string{"stdout is not possible here; name a file, or give ./- "
                                     "for a file named -"}
                       : std::string{};
  };
  command.add_option("-o,--out", out, help, {.required = true, .value = "G", .check = {check}});
}

std::expected<std::unique_ptr<Recording>, Unreadable> open_bytes(const std::string& path,
                                                                 std::vector<std::byte>&& bytes) {
  auto recording = std::make_unique<Recording>(
      Recording{path, std::move(bytes), std::unexpected{record::RecordError::NotARecording}});
  recording->reader = record::Reader::open(recording->bytes);
  if (recording->reader || recording->reader.error() == record::RecordError::HeaderCut) {
    return recording;
  }
  const record::RecordError error = recording->reader.error();
  const bool damaged = error == record::RecordError::HeaderDamaged;
  return std::unexpected{Unreadable{
      .code = damaged ? ExitCode::CheckFailed : ExitCode::Failed,
      .why = fmt::format("cannot read {}: {}", path, record::describe(error, recording->bytes))}};
}

std::expected<std::unique_ptr<Recording>, ExitCode> open_recording(const std::string& path,
                                                                   const Output& output) {
  auto bytes = os::read_file(path);
  if (!bytes) return std::unexpected{output.failed(ExitCode::Failed, bytes.error())};
  auto recording = open_bytes(path, *std::move(bytes));
  if (!recording) {
    return std::unexpected{output.failed(recording.error().code, recording.error().why)};
  }
  return *std::move(recording);
}

std::expected<std::unique_ptr<Recording>, ExitCode> open_with_header(const std::string& path,
                                                                     const Output& output) {
  auto recording = open_recording(path, output);
  if (recording && !(*recording)->reader) {
    return std::unexpected{output.failed(
        ExitCode::Failed,
        fmt::format("cannot read {}: {}", path,
                    record::describe((*recording)->reader.error(), (*recording)->bytes)))};
  }
  return recording;
}

std::expected<engine::GameOnMap, engine::OtherBuild> setting_of(const record::Header& header,
                                                                engine::Games games) {
  return engine::find_game_on_map(games, record::identity_of(header), header.tick_rate,
                                  "the recording");
}

std::expected<engine::GameOnMap, ExitCode> setting_of(const Recording& recording,
                                                      const Output& output) {
  const record::Header& header = recording.reader->header();
  auto setting = setting_of(header, output.games);
  if (!setting) {
    return std::unexpected{
        output.failed(ExitCode::Failed,
                      fmt::format("cannot step {}: {}", recording.path, setting.error().words))};
  }
  if (header.simulation != cli::build_info().simulation_hash) {
    output.print_note(
        fmt::format("{} was {}: hashes may differ", recording.path, other_build(header)));
  }
  return *std::move(setting);
}

std::string other_build(const record::Header& header) {
  const cli::BuildInfo& here = cli::build_info();
  const std::string_view commit = here.commit.substr(0, record::kCommitMax);
  if (header.commit == commit && header.simulation == here.simulation_hash) return {};
  return fmt::format(
      "recorded by another build (commit {}, simulation {}; this program: commit {}, simulation "
      "{})",
      printable(header.commit), printable(header.simulation), commit, here.simulation_hash);
}

std::expected<RecordedMatch, ExitCode> open_match(const std::string& path, const Output& output) {
  auto recording = open_with_header(path, output);
  if (!recording) return std::unexpected{recording.error()};
  auto setting = setting_of(**recording, output);
  if (!setting) return std::unexpected{setting.error()};
  return RecordedMatch{.recording = *std::move(recording), .setting = *std::move(setting)};
}

std::string field_text(const record::Difference& difference) {
  return difference.subject.empty() ? difference.field
                                    : fmt::format("{} {}", difference.subject, difference.field);
}

std::string in_words(const Ending& ending) {
  if (ending.complete) return "complete";
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (ending.damages > 0) {
    add(fmt::format("damaged in {} place{}", ending.damages, ending.damages == 1 ? "" : "s"));
  }
  if (ending.gaps > 0) {
    add(fmt::format("{} gap{} with missing ticks", ending.gaps, ending.gaps == 1 ? "" : "s"));
  }
  if (ending.unfinished) {
    add(fmt::format("ends in tick {}, where the server failed", ending.unfinished->value));
  }
  if (ending.ends_early) add("ends early (the recorder was killed, or is still running)");
  return text.empty() ? "has no clean end" : text;
}

std::string ticks_in_words(Tick world, Tick last) {
  return last > world ? fmt::format("{} to {} (after the world of tick {})", world.value + 1,
                                    last.value, world.value)
                      : fmt::format("none after the world of tick {}", world.value);
}

namespace {

struct GoneOptions {
  std::shared_ptr<Output> output;
  std::string_view successor{};  ///< with {0} for "tickbox replay" and {1} for the file
  std::string file{};
};

ExitCode refuse_gone(const GoneOptions& options) {
  const Output& output = *options.output;
  return output.failed(ExitCode::WrongUsage, fmt::format(fmt::runtime(options.successor),
                                                         output.name, printable(options.file)));
}

/// Adds a command that is no more, and names what took its place.
void add_gone(const Subcommand& place, const cli::About& about, std::string_view successor) {
  auto [command, options] = place.add(about, refuse_gone);
  options->successor = successor;
  command.add_option("FILE", options->file, "What it read", {.required = true});
}

}  // namespace

void add_replay(cli::CommandParser& program, engine::Games games, std::string_view page,
                std::function<int()>& run) {
  const auto output = std::make_shared<Output>(Output{
      .name = program.name() + " replay", .program = &program, .games = games, .page = page});
  cli::CommandParser replay =
      program.add_command({.name = "replay",
                           .description = "Read recordings that a server made with --record.",
                           .example = output->name + " verify recordings/MATCH.tickbox"},
                          output->common);
  replay.require_command();
  const Subcommand place{.parent = replay, .run = run, .output = output};
  add_replay_info(place);
  add_replay_verify(place);
  add_replay_state(place);
  add_replay_trace(place);
  add_replay_diff(place);
  add_replay_cut(place);
  add_replay_inputs(place);
  add_gone(place,
           {.name = "play",
            .description = "Replaced by `page`, which plays, pauses, steps and seeks.",
            .example = output->name + " page match.tickbox -o match.html"},
           "a page shows recordings now: {0} page {1} -o match.html");
  add_gone(place,
           {.name = "desync",
            .description = "Replaced by the `explanation` in each file of --desync-dir.",
            .example = "jq -r .explanation FILE.json"},
           "a file of --desync-dir explains itself now: jq -r .explanation {1}");
  add_replay_page(place);
}

}  // namespace tickbox::commands
