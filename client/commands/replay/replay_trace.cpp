// `tickbox replay trace`: every tick of a recording as a line of JSON. Exit codes: 0; 1 there is
// nothing to read; 2 a range that is not in the file; 3 a hash differs or the file is damaged
// inside; 5 stopped before the last tick.

#include "client/commands/new_file.h"
#include "client/commands/replay/replay_commands.h"
#include "client/commands/replay/replay_world.h"
#include "os/process/signals.h"
#include "record/replayer.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct TraceFlags {
  std::shared_ptr<ReplayFlags> flags;
  std::string file{};
  std::string out{"-"};
  std::uint32_t from = 0;
  std::uint32_t to = std::numeric_limits<std::uint32_t>::max();
};

struct Traced {
  std::uint64_t ticks = 0;
  std::uint64_t mismatched = 0;
  std::uint32_t damages = 0;
  std::optional<Tick> last{};
  bool interrupted = false;

  [[nodiscard]] bool held() const { return mismatched == 0 && damages == 0; }
};

/// A world that was read from a keyframe has no commands: what entered its tick is not in the file.
void append_line(std::string& line, const record::Replayer& replayer) {
  static const record::RecordedTick kNothing;
  const record::RecordedTick* const commands = replayer.commands();
  line =
      fmt::format(R"({{"tick":{},"hash":"{}",)", replayer.world().tick.value, hex(replayer.hash()));
  if (replayer.hash() != replayer.recorded_hash()) {
    line += fmt::format(R"("recorded_hash":"{}",)", hex(replayer.recorded_hash()));
  }
  if (commands == nullptr) line += R"("keyframe":true,)";
  append_bodies(line, replayer.world());
  line += ',';
  append_commands(line, commands == nullptr ? kNothing : *commands);
  line += "}\n";
}

/// The file is made with the first line: there is none where no tick is in the range.
Traced trace(record::Replayer& replayer, const TraceFlags& options,
             std::optional<TraceOutput>& out) {
  const os::Interruption interruption;
  Traced traced;
  std::string line;
  while (!(out && out->failed()) && replayer.next() && replayer.world().tick.value <= options.to) {
    traced.interrupted = interruption.requested();
    if (traced.interrupted) break;
    if (replayer.world().tick.value < options.from) continue;
    append_line(line, replayer);
    if (!out) out.emplace(options.out);
    out->write(line);
    ++traced.ticks;
    traced.last = replayer.world().tick;
    traced.mismatched += replayer.hash() == replayer.recorded_hash() ? 0U : 1U;
  }
  traced.damages = replayer.damages();
  return traced;
}

/// What came of it, behind the lines.
int tell(const TraceFlags& options, const Traced& traced) {
  const ExitCode code = !traced.held()       ? ExitCode::CheckFailed
                        : traced.interrupted ? ExitCode::Inconclusive
                                             : ExitCode::Done;
  const std::string differs =
      fmt::format("{}: {} hashes differ, damaged in {} places; `tickbox replay verify` tells more",
                  options.file, traced.mismatched, traced.damages);
  const std::string stopped =
      traced.last ? fmt::format("stopped after tick {}; the trace ends there", traced.last->value)
                  : "stopped before the first tick; no trace was made";
  int ended = cli::to_int(code);
  if (options.flags->json()) {
    ended = replay_document(nlohmann::ordered_json{{"ticks", traced.ticks},
                                                   {"trace", options.out},
                                                   {"mismatched", traced.mismatched},
                                                   {"damages", traced.damages},
                                                   {"interrupted", traced.interrupted}},
                            code, traced.held() ? stopped : differs);
  }
  if (!traced.held()) ended = replay_fell_short(static_cast<ExitCode>(ended), differs);
  if (traced.interrupted) ended = replay_fell_short(static_cast<ExitCode>(ended), stopped);
  return ended;
}

int run_trace(const TraceFlags& options) {
  if (options.from > options.to) {
    return replay_failed(*options.flags, ExitCode::WrongUsage,
                         fmt::format("--from {} is after --to {}", options.from, options.to));
  }
  const auto match = open_match(options.file, *options.flags);
  if (!match) {
    return match.error();
  }
  record::Replayer replayer{record::seek(match->reader(), Tick{options.from}), match->setting.map,
                            *match->setting.rules};
  std::optional<TraceOutput> out;
  const Traced traced = trace(replayer, options, out);
  if (out) out->close();
  if (out && out->failed()) return replay_failed(*options.flags, ExitCode::Failed, out->error());
  if (traced.ticks == 0 && traced.damages == 0 && !traced.interrupted) {
    return replay_failed(
        *options.flags, ExitCode::WrongUsage,
        fmt::format("--from {} --to {}: {} has no such tick; `tickbox replay info` "
                    "tells which it has",
                    options.from, options.to, options.file));
  }
  return tell(options, traced);
}

}  // namespace

void add_replay_trace(const ReplayCommand& place) {
  auto options = std::make_shared<TraceFlags>(TraceFlags{.flags = place.flags});
  cli::Command command = place.replay.add_command(
      {.name = "trace",
       .description =
           "Write a line of JSON for each tick: its hash, every body, and the leaves, joins, "
           "inputs and strikes that entered it; exit 5 when stopped before the last",
       .example = "tickbox replay trace match.tickbox --from 600 --to 660 --out trace.jsonl"},
      place.flags->common);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  command.add_option("--from", options->from, "The first tick",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--to", options->to, "The last tick",
                     {.value = "T", .default_text = "the last"});
  command.add_option("--out", options->out, "A new file, or - for stdout", {.value = "F"});
  command.callback(
      [options, &run = place.run] { run = [options] { return run_trace(*options); }; });
}

}  // namespace tickbox::commands
