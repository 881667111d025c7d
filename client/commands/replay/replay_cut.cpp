// `tickbox replay cut`: copies whole segments of a recording to another one. Exit codes: 0; 1 the
// recording cannot be read, or the copy cannot be written; 2 the range is not in the file; 3 the
// range begins in damage, or nothing is undamaged; 5 stopped before its end.

#include "client/commands/new_file.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "os/process/signals.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct CutFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::string out{};
  std::optional<std::uint32_t> from{};
  std::optional<std::uint32_t> to{};
};

/// Reports why a copy would be empty. Returns the exit code.
ExitCode nothing_whole(const CutFlags& options, const record::CutResult& cut) {
  if (cut.damages > 0) {
    return options.output->failed(
        ExitCode::CheckFailed,
        fmt::format("{} has no undamaged segment in this range; no file was made", options.file));
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

/// Reports that the copy would begin after the requested tick, and returns the exit code; nothing
/// if it does not.
std::optional<ExitCode> wrong_beginning(const CutFlags& options, const record::CutResult& cut) {
  if (!options.from || cut.first->value <= *options.from) return std::nullopt;
  const bool lost = cut.damages > 0;
  return options.output->failed(
      lost ? ExitCode::CheckFailed : ExitCode::WrongUsage,
      fmt::format("--from {}: that tick is {}; the next in {} is {}", *options.from,
                  lost ? "lost to damage" : "not recorded", options.file, cut.first->value));
}

ExitCode print(const CutFlags& options, const record::CutResult& cut) {
  const record::LogFileStats& copy = cut.copy;
  if (options.output->json()) {
    return options.output->print_document(nlohmann::ordered_json{{"file", options.out},
                                                                 {"first_tick", cut.first->value},
                                                                 {"last_tick", cut.last.value},
                                                                 {"ticks", copy.ticks_recorded},
                                                                 {"ticks_lost", copy.ticks_lost},
                                                                 {"gaps", copy.gaps},
                                                                 {"damages", cut.damages}});
  }
  return options.output->print(std::string_view{fmt::format(
      "{}: ticks {}, {} recorded, {} lost in {} gap{}{}\n", printable(options.out),
      ticks_in_words(*cut.first, cut.last), grouped(copy.ticks_recorded), grouped(copy.ticks_lost),
      copy.gaps, copy.gaps == 1 ? "" : "s",
      cut.damages == 0
          ? ""
          : fmt::format("; {} has {} damaged place{}, whose segments are left out; ticks lost "
                        "after the last segment are not counted",
                        printable(options.file), cut.damages, cut.damages == 1 ? "" : "s"))});
}

ExitCode run_cut(const CutFlags& options) {
  record::CutRange range{.from = {options.from.value_or(0)}};
  if (options.to) range.to = Tick{*options.to};
  if (range.from > range.to) {
    return options.output->failed(
        ExitCode::WrongUsage,
        fmt::format("--from {} is after --to {}", range.from.value, range.to.value));
  }
  const auto recording = open_with_header(options.file, *options.output);
  if (!recording) return recording.error();
  const auto file = NewFile::create(options.out);
  if (!file) return options.output->failed(ExitCode::Failed, file.error());
  const os::Interruption interruption;
  range.stopped = [&] { return interruption.requested(); };
  const record::CutResult cut = record::cut(*(*recording)->reader, **file, range);
  if (cut.interrupted) {
    return options.output->stopped(
        cut.copy.ticks_recorded,
        cut.first ? fmt::format("stopped at tick {}; no file was made", cut.last.value)
                  : std::string{"stopped before the first tick; no file was made"});
  }
  if (!cut.first) return nothing_whole(options, cut);
  if (const auto wrong = wrong_beginning(options, cut)) return *wrong;
  if (const auto closed = (*file)->close(); !closed) {
    return options.output->failed(ExitCode::Failed, closed.error());
  }
  return print(options, cut);
}

}  // namespace

void add_replay_cut(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "cut",
       .description =
           "Copy the segments that have a range of ticks to a new recording; without a range, all "
           "that are whole. A segment is 5 s of play, or up to 60 s of an empty room, so the copy "
           "may begin and end up to that much outside of the range. Damaged segments become gaps. "
           "Exit 2 if the first tick was not recorded, 3 if it is lost to damage or nothing is "
           "undamaged, 5 if stopped early; no file is made then.",
       .example = place.output->name + " cut match.tickbox --from 600 --to 1200 -o minute.tickbox"},
      run_cut);
  command.add_option("FILE", options->file, "The recording; it is not changed", {.required = true});
  add_new_file(command, options->out, "The new recording; the file must not exist");
  command.add_option("--from", options->from, "Begin with or before this tick",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--to", options->to, "End with or after this tick",
                     {.value = "T", .default_text = "the last"});
}

}  // namespace tickbox::commands
