// `tickbox replay state` and `trace`. As JSON they print the world after a tick and the commands of
// the tick; `state` without --json prints the world as text. Lengths are exact, in units;
// velocities are in units per tick.
//
// Exit codes: 0; 1 the file cannot be read, or the trace cannot be written; 2 the tick or range is
// not in the file; 3 a tick is lost, a hash differs or the file is damaged; 5 stopped before the
// last tick (`trace`).

#include "client/commands/output.h"
#include "client/commands/replay/match_text.h"
#include "client/commands/replay/replay_commands.h"
#include "client/scenario/trace.h"
#include "core/text.h"
#include "engine/log/words.h"
#include "os/process/signals.h"
#include "record/replayer.h"
#include "record/segments.h"

#include <fmt/format.h>

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct StateFlags {
  std::shared_ptr<Output> output;
  std::string file{};
  std::uint32_t tick = 0;
};

/// Returns the difference of a world from the recorded one; empty if there is none.
std::string difference_of(const record::Replayer& replayer) {
  if (replayer.hash() == replayer.recorded_hash()) return {};
  return fmt::format(
      "this world is the result of stepping and differs from the recorded one, whose hash was {}; "
      "`replay verify` finds the first difference",
      hash_text(replayer.recorded_hash()));
}

std::string document_of(const record::Replayer& replayer, ExitCode code) {
  const engine::World& world = replayer.world();
  const GameTable& game = world.game();
  const std::string error = difference_of(replayer);
  return fmt::format(
      R"({{"tick":{},"hash":"{}","recorded_hash":"{}","random":"{}","room":{},"secret":{},)"
      R"("seats":{},"bodies":{},"commands":{},"exit":{}{}}})"
      "\n",
      world.tick.value, hash_text(replayer.hash()), hash_text(replayer.recorded_hash()),
      hash_text(world.random.state()), engine::value_json(game.room, world.room()),
      engine::value_json(game.secret, world.secret()), seats_json(world), bodies_json(world),
      replayer.entered() == nullptr ? "null" : "{" + tick_json(world, *replayer.entered()) + "}",
      cli::to_int(code), error.empty() ? "" : fmt::format(R"(,"error":"{}")", error));
}

/// Returns all values, each after its name.
std::string words_of(const TypeInfo& type, ConstBytes bytes) {
  std::string words;
  for (const FieldInfo& field : type.fields()) {
    for (std::size_t i = 0; i < field.times; ++i) {
      fmt::format_to(std::back_inserter(words), "{}{} {}", words.empty() ? "" : ", ",
                     engine::name_of(field, i), engine::text_of(field, i, bytes));
    }
  }
  return words;
}

/// Returns all values after "; "; empty for a type without fields.
std::string values_text(const TypeInfo& type, ConstBytes bytes) {
  const std::string words = words_of(type, bytes);
  return words.empty() ? "" : "; " + words;
}

std::string owner_text(Player owner) {
  return owner.seat == Player::kNobody ? "" : fmt::format(" of seat {}", owner.seat);
}

std::string text_of(const record::Replayer& replayer) {
  const engine::World& world = replayer.world();
  const GameTable& game = world.game();
  std::string out = fmt::format("tick {}  hash {}  random {}\n", world.tick.value,
                                hash_text(replayer.hash()), hash_text(world.random.state()));
  const auto add_part = [&](std::string_view name, const TypeInfo& type, ConstBytes bytes) {
    const std::string words = words_of(type, bytes);
    if (!words.empty()) fmt::format_to(std::back_inserter(out), "  {} {}\n", name, words);
  };
  add_part("room", game.room, world.room());
  add_part("secret", game.secret, world.secret());
  for (std::size_t i = 0; i < world.seats().size(); ++i) {
    const Player player{static_cast<std::uint16_t>(i)};
    if (!world.has(player)) continue;
    fmt::format_to(std::back_inserter(out), "  seat {:<5} generation {}{}\n", i,
                   world.seats()[i].generation, values_text(game.seat, world.seat_state(player)));
  }
  for (std::size_t row = 0; row < world.size(); ++row) {
    const sim::Body& body = world.body(row);
    const TypeInfo& type = world.kind_of(row).type;
    fmt::format_to(std::back_inserter(out), "  {} #{}{} at {}, {}; velocity {}, {}{}\n", type.name,
                   body.id.value, owner_text(world.infos()[row].owner),
                   scenario::units_text(body.min.x), scenario::units_text(body.min.y),
                   scenario::units_text(body.velocity.x), scenario::units_text(body.velocity.y),
                   values_text(type, world.state(row)));
  }
  return out;
}

/// Reports why a tick is not available, and returns the exit code. `last` and `next` are the
/// nearest available ticks before and after it.
ExitCode missing(const StateFlags& options, std::uint32_t damages, std::optional<Tick> last,
                 std::optional<Tick> next) {
  if (damages > 0) {
    return options.output->failed(
        ExitCode::CheckFailed, fmt::format("tick {} of {} is lost to damage; `{} info` shows where",
                                           options.tick, options.file, options.output->name));
  }
  if (last && next) {
    return options.output->failed(
        ExitCode::CheckFailed,
        fmt::format(
            "tick {} was not recorded because the disk failed then; {} continues with tick {}",
            options.tick, options.file, next->value));
  }
  return options.output->failed(ExitCode::WrongUsage,
                                fmt::format("--tick {}: {} {}", options.tick, options.file,
                                            next   ? fmt::format("begins with tick {}", next->value)
                                            : last ? fmt::format("ends with tick {}", last->value)
                                                   : std::string{"has no tick"}));
}

ExitCode run_state(const StateFlags& options) {
  const auto match = open_match(options.file, *options.output);
  if (!match) return match.error();
  const Tick wanted{options.tick};
  record::Replayer replayer{record::seek(match->reader(), wanted), *match->setting.game,
                            match->setting.map};
  std::optional<Tick> last;
  std::optional<Tick> next;
  while (!next && replayer.next()) {
    (replayer.world().tick < wanted ? last : next) = replayer.world().tick;
  }
  if (next != wanted) return missing(options, replayer.damages(), last, next);
  const std::string differs = difference_of(replayer);
  if (!differs.empty()) options.output->print_note(differs);
  const ExitCode code = differs.empty() ? ExitCode::Done : ExitCode::CheckFailed;
  return options.output->print(
      std::string_view{options.output->json() ? document_of(replayer, code) : text_of(replayer)},
      code);
}

struct TraceFlags {
  std::shared_ptr<Output> output;
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

/// Returns the line of a tick. A world read from a keyframe has no commands, because those of its
/// tick are not in the file.
std::string line_of(const record::Replayer& replayer) {
  const engine::DecodedTick* const entered = replayer.entered();
  const bool differs = replayer.hash() != replayer.recorded_hash();
  return fmt::format(
      R"({{"tick":{},"hash":"{}",{}{}"bodies":{},{}}})"
      "\n",
      replayer.world().tick.value, hash_text(replayer.hash()),
      differs ? fmt::format(R"("recorded_hash":"{}",)", hash_text(replayer.recorded_hash())) : "",
      entered == nullptr ? R"("keyframe":true,)" : "", bodies_json(replayer.world()),
      tick_json(replayer.world(), entered == nullptr ? engine::DecodedTick{} : *entered));
}

/// Writes the trace. Creates the file with the first line, so there is no file for an empty range.
Traced trace(record::Replayer& replayer, const TraceFlags& options,
             std::optional<TraceOutput>& out) {
  const os::Interruption interruption;
  Traced traced;
  replayer.stop_when([&] { return interruption.requested(); });
  while (!(out && out->failed()) && replayer.next() && replayer.world().tick.value <= options.to) {
    traced.interrupted = interruption.requested();
    if (traced.interrupted) break;
    if (replayer.world().tick.value < options.from) continue;
    if (!out) out.emplace(options.out);
    out->write(line_of(replayer));
    ++traced.ticks;
    traced.last = replayer.world().tick;
    traced.mismatched += replayer.hash() == replayer.recorded_hash() ? 0U : 1U;
  }
  traced.interrupted = traced.interrupted || replayer.gave_up();
  traced.damages = replayer.damages();
  return traced;
}

/// Prints the result after the lines. Returns the exit code.
ExitCode print(const TraceFlags& options, const Traced& traced) {
  const ExitCode code = !traced.held()       ? ExitCode::CheckFailed
                        : traced.interrupted ? ExitCode::Inconclusive
                                             : ExitCode::Done;
  const std::string differs =
      fmt::format("{}: {} hashes differ, damaged in {} places; see `{} verify`", options.file,
                  traced.mismatched, traced.damages, options.output->name);
  const std::string stopped =
      traced.last ? fmt::format("stopped after tick {}; the trace ends there", traced.last->value)
                  : "stopped before the first tick; no trace was made";
  ExitCode ended = code;
  if (options.output->json()) {
    ended =
        options.output->print_document(nlohmann::ordered_json{{"ticks", traced.ticks},
                                                              {"trace", options.out},
                                                              {"mismatched", traced.mismatched},
                                                              {"damages", traced.damages},
                                                              {"interrupted", traced.interrupted}},
                                       code, traced.held() ? stopped : differs);
  }
  if (!traced.held()) ended = options.output->fell_short(ended, differs);
  if (traced.interrupted) ended = options.output->fell_short(ended, stopped);
  return ended;
}

ExitCode run_trace(const TraceFlags& options) {
  if (options.from > options.to) {
    return options.output->failed(
        ExitCode::WrongUsage, fmt::format("--from {} is after --to {}", options.from, options.to));
  }
  const auto match = open_match(options.file, *options.output);
  if (!match) return match.error();
  record::Replayer replayer{record::seek(match->reader(), Tick{options.from}), *match->setting.game,
                            match->setting.map};
  std::optional<TraceOutput> out;
  const Traced traced = trace(replayer, options, out);
  if (out) out->close();
  if (out && out->failed()) return options.output->failed(ExitCode::Failed, out->error());
  if (traced.ticks == 0 && traced.damages == 0 && !traced.interrupted) {
    return options.output->failed(
        ExitCode::WrongUsage,
        fmt::format("--from {} --to {}: {} has no such tick; `{} info` shows its range",
                    options.from, options.to, options.file, options.output->name));
  }
  return print(options, traced);
}

}  // namespace

void add_replay_state(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "state",
       .description =
           "Show the whole world after a tick. Prints the seats and every field of every body, in "
           "units and units per tick. Exit 3 if the tick is lost or its hash differs.",
       .example = place.output->name + " state match.tickbox --tick 600 --json"},
      run_state);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  command.add_option("--tick", options->tick, "Tick to show", {.required = true, .value = "T"});
}

void add_replay_trace(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "trace",
       .description = "Write a line of JSON for each tick. It has the hash, every body, the seats "
                      "of players who left or joined, the inputs, and the hits. Exit 3 if a hash "
                      "differs or the file is damaged inside, 5 if stopped early.",
       .example =
           place.output->name + " trace match.tickbox --from 600 --to 660 --out trace.jsonl"},
      run_trace);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  command.add_option("--from", options->from, "First tick to write",
                     {.value = "T", .default_text = "the first"});
  command.add_option("--to", options->to, "Last tick to write",
                     {.value = "T", .default_text = "the last"});
  command.add_option("-o,--out", options->out, "A new file (-: stdout)", {.value = "F"});
}

}  // namespace tickbox::commands
