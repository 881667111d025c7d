// `tickbox replay cut` and `repair`: copy the undamaged parts of a recording to another one. Exit
// codes: 0; 1 the recording cannot be read, or the copy cannot be written; 2 the range is not in
// the file; 3 the cut cannot begin where it should, the header is damaged, or nothing is undamaged;
// 5 stopped before its end.

#include "client/commands/new_file.h"
#include "client/commands/replay/replay_commands.h"
#include "os/process/signals.h"
#include "os/process/steady_clock.h"
#include "record/copy.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct CopyFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::string out{};
  std::optional<std::uint32_t> from{};
  std::optional<std::uint32_t> to{};
};

/// Returns the header of the original with a new salt, so that no record of one file is valid in
/// the other.
record::Header header_of_copy(const record::Reader& reader) {
  record::Header header = reader.header();
  os::SystemEntropy{}.fill(header.salt);
  header.server = 0;  // no server may remove the copy to keep --record-max-bytes
  return header;
}

/// Reports why a copy would be empty. Returns the exit code.
ExitCode nothing_whole(const CopyFlags& options, const record::CopyResult& copy) {
  if (copy.damages > 0) {
    return options.output->failed(
        ExitCode::CheckFailed,
        fmt::format("{} has no undamaged tick in this range; no file was made", options.file));
  }
  if (!options.from && !options.to) {
    return options.output->failed(
        ExitCode::CheckFailed, fmt::format("{} has no whole tick; no file was made", options.file));
  }
  return options.output->failed(
      ExitCode::WrongUsage,
      fmt::format("{} has no tick from {} {}; no file was made", options.file,
                  options.from.value_or(0), options.to ? fmt::format("to {}", *options.to) : "on"));
}

/// Reports why the copy does not begin with the requested world, and returns the exit code; nothing
/// if it does.
std::optional<ExitCode> wrong_beginning(const CopyFlags& options, const record::CopyResult& copy) {
  if (copy.differs) {
    return options.output->failed(
        ExitCode::CheckFailed,
        fmt::format("stepping to tick {} gives another world than the recorded one, and a cut must "
                    "begin with the recorded one; begin it at a keyframe (every 5 s), or use the "
                    "version that recorded it",
                    *options.from));
  }
  if (options.from && copy.first->value != *options.from) {
    const bool lost = copy.damages > 0;
    return options.output->failed(
        lost ? ExitCode::CheckFailed : ExitCode::WrongUsage,
        fmt::format("--from {}: that tick is {}; the next in {} is {}", *options.from,
                    lost ? "lost to damage" : "not recorded", options.file, copy.first->value));
  }
  return std::nullopt;
}

ExitCode tell(const CopyFlags& options, const record::CopyResult& copy) {
  if (options.output->json()) {
    return options.output->print_document(nlohmann::ordered_json{{"file", options.out},
                                                                 {"first_tick", copy.first->value},
                                                                 {"last_tick", copy.last.value},
                                                                 {"ticks", copy.ticks},
                                                                 {"ticks_lost", copy.ticks_lost},
                                                                 {"gaps", copy.gaps},
                                                                 {"damages", copy.damages}});
  }
  return options.output->print(std::string_view{fmt::format(
      "{}: ticks {}, {} recorded, {} lost in {} gap{}{}\n", options.out,
      ticks_in_words(*copy.first, copy.last), grouped(copy.ticks), grouped(copy.ticks_lost),
      copy.gaps, copy.gaps == 1 ? "" : "s",
      copy.damages == 0 ? ""
                        : fmt::format("; {} damaged place{} of {} left out; ticks lost after the "
                                      "last of them are not counted",
                                      copy.damages, copy.damages == 1 ? "" : "s", options.file))});
}

ExitCode run_copy(const CopyFlags& options) {
  record::CopyRange range{.from = {options.from.value_or(0)}};
  if (options.to) range.to = Tick{*options.to};
  if (range.from > range.to) {
    return options.output->failed(
        ExitCode::WrongUsage,
        fmt::format("--from {} is after --to {}", range.from.value, range.to.value));
  }
  const auto match = open_match(options.file, *options.output);
  if (!match) return match.error();
  const auto file = NewFile::create(options.out);
  if (!file) return options.output->failed(ExitCode::Failed, file.error());
  const os::Interruption interruption;
  range.stopped = [&] { return interruption.requested(); };
  const record::Reader& reader = match->reader();
  record::Writer writer{**file, header_of_copy(reader)};
  const record::CopyResult copy =
      record::copy(options.from ? record::seek(reader, range.from) : reader, writer,
                   *match->setting.game, match->setting.map, range);
  if (copy.interrupted) {
    return options.output->stopped(
        copy.ticks, copy.first
                        ? fmt::format("stopped at tick {}; no file was made", copy.last.value)
                        : std::string{"stopped before the first tick; no file was made"});
  }
  if (!copy.first && !copy.differs) return nothing_whole(options, copy);
  if (const auto wrong = wrong_beginning(options, copy)) return *wrong;
  if (const auto closed = (*file)->close(); !closed) {
    return options.output->failed(ExitCode::Failed, closed.error());
  }
  return tell(options, copy);
}

void add_files(cli::Command& command, CopyFlags& options) {
  command.add_option("FILE", options.file, "The recording; it is not changed", {.required = true});
  add_new_file(command, options.out, "The new recording; the file must not exist");
}

}  // namespace

void add_replay_cut(const Subcommand& place) {
  auto options = std::make_shared<CopyFlags>(CopyFlags{.output = place.output});
  cli::Command command = place.parent.add_command(
      {.name = "cut",
       .description = "Copy a range of ticks to a new recording. The copy begins with the world "
                      "after tick --from and ends with tick --to. Exit 2 if the first tick was not "
                      "recorded, 3 if it is lost to damage or steps to another world, 5 if stopped "
                      "early; no file is made then.",
       .example = place.output->name + " cut match.tickbox --from 600 --to 1200 -o minute.tickbox"},
      place.output->common);
  add_files(command, *options);
  command.add_option("--from", options->from, "Begin with the world after this tick",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--to", options->to, "End with this tick",
                     {.value = "T", .default_text = "the last"});
  place.on_call(command, options, run_copy);
}

void add_replay_repair(const Subcommand& place) {
  auto options = std::make_shared<CopyFlags>(CopyFlags{.output = place.output});
  cli::Command command = place.parent.add_command(
      {.name = "repair",
       .description =
           "Copy the undamaged parts of a recording to a new one. Lost ticks become gaps. Exit 3 "
           "if all of it is damaged, 5 if stopped early; no file is made then.",
       .example = place.output->name + " repair damaged.tickbox -o whole.tickbox"},
      place.output->common);
  add_files(command, *options);
  place.on_call(command, options, run_copy);
}

}  // namespace tickbox::commands
