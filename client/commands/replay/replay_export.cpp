// The commands of `tickbox replay` that make a file of a recording: another recording, the inputs
// of its players, or a page.

#include "client/commands/output.h"
#include "client/commands/play/input_script.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "net/crypto.h"
#include "os/process/signals.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

// `tickbox replay cut`: copies whole segments of a recording to another one. Exit codes: 0; 1 the
// recording cannot be read, or the copy cannot be written; 2 the range is not in the file; 3 the
// range begins in damage, or nothing is undamaged; 5 stopped before its end.

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

// `tickbox replay inputs`: writes the inputs of the players of a recording to a file that `tickbox
// load --inputs` plays. Exit codes: 0; 1 the recording cannot be read or has no players, or the
// file cannot be written; 3 the recording is damaged inside, and the file has only the undamaged
// parts, or its header is damaged, and no file is made; 5 stopped before its end.

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

// `tickbox replay page`: makes one HTML file of a recording, which shows and verifies it in any
// browser. Exit codes: 0; 1 the recording cannot be read or shown, this program has no page, or the
// file cannot be written; 3 the recording's header is damaged.

/// Returns text as HTML shows it, in an element or in the quotes of an attribute.
std::string html_text(std::string_view text) {
  std::string safe;
  for (const char each : text) {
    switch (each) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += each;
    }
  }
  return safe;
}

/// The longest recording in a page, in bytes: browsers end texts of half a gigabyte.
constexpr std::size_t kRecordingBytesMax = std::size_t{128} << 20U;

struct PageFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::string out{};
};

ExitCode print(const PageFlags& options, std::size_t bytes) {
  if (options.output->json()) {
    return options.output->print_document(
        nlohmann::ordered_json{{"file", options.out}, {"bytes", bytes}});
  }
  return options.output->print(std::string_view{
      fmt::format("{}: {} KB; open it in a browser, or send it: it needs no other file\n",
                  printable(options.out), grouped((bytes + 999) / 1'000))});
}

ExitCode run_page(const PageFlags& options) {
  const Output& output = *options.output;
  const std::string_view page = output.page;
  const std::size_t end = page.rfind("</html>");
  if (end == std::string_view::npos) {
    return output.failed(ExitCode::Failed,
                         "this program has no page: it was built without the compiler for "
                         "WebAssembly (TICKBOX_VIEWER, in common/viewer/README.md)");
  }
  const auto match = open_match(options.file, output);
  if (!match) return match.error();
  const ConstBytes recording = match->recording->bytes;
  if (recording.size() > kRecordingBytesMax) {
    return output.failed(
        ExitCode::Failed,
        fmt::format("{} has {} MB; a page takes {} at most: make a part of it with {} cut",
                    options.file, recording.size() >> 20U, kRecordingBytesMax >> 20U, output.name));
  }
  const auto file = NewFile::create(options.out);
  if (!file) return output.failed(ExitCode::Failed, file.error());
  const std::string name = html_text(std::filesystem::path{options.file}.filename().string());
  std::size_t bytes = 0;
  const auto write = [&](std::string_view text) {
    bytes += text.size();
    (*file)->write(std::as_bytes(std::span{text}));
  };
  write(page.substr(0, end));
  write(fmt::format(R"(<script type="application/octet-stream" id="recording" data-name="{}">)",
                    name));
  write(net::to_base64(recording));
  write("</script>\n");
  write(page.substr(end));
  if (const auto closed = (*file)->close(); !closed) {
    return output.failed(ExitCode::Failed, closed.error());
  }
  return print(options, bytes);
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

void add_replay_page(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "page",
       .description =
           "Make one HTML file of a recording. It shows the match in any browser, steps every tick "
           "again there and compares every hash. It requests nothing from any other place, so it "
           "can be sent and opened years later. Exit 1 if the recording was made by other rules "
           "than this program has: its page could not step it.",
       .example = place.output->name + " page match.tickbox -o match.html"},
      run_page);
  command.add_option("FILE", options->file, "The recording; it is not changed", {.required = true});
  add_new_file(command, options->out, "The new page; the file must not exist");
}

}  // namespace tickbox::commands
