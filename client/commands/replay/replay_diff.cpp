// `tickbox replay diff`: prints the first tick, entity and field in which two recordings differ,
// and the first command that differs, usually the reason: as a place in the line that `replay
// trace` prints of its tick. Exit codes: 0 the common ticks are the same; 1 a file cannot be read,
// or there is nothing to compare; 3 they differ, or one is damaged; 5 stopped, and the same so far.

#include "client/commands/replay/match_text.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "os/process/signals.h"
#include "record/replayer.h"
#include "record/verify.h"

#include <fmt/format.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

struct DiffFlags {
  std::shared_ptr<Output> output;
  std::string a{};
  std::string b{};
};

/// A command that is missing or different in one of the recordings, usually the reason for the
/// difference.
struct CommandDifference {
  Tick tick;
  Json a;  ///< the value of a; null if it has none
  Json b;
  Json::json_pointer place{};  ///< in the line of `replay trace`
  Json seat{};                 ///< of the leave, join, input, outcome or shooter; null for nobody
};

/// The first and the last tick of a recording.
struct TickRange {
  Tick first;
  Tick last;

  friend bool operator==(const TickRange&, const TickRange&) = default;
};

struct Side {
  record::Replayer replayer;
  std::optional<TickRange> range{};  ///< as far as it was replayed

  bool next() {
    if (!replayer.next()) return false;
    range = TickRange{.first = range ? range->first : tick(), .last = tick()};
    return true;
  }

  [[nodiscard]] Tick tick() const { return replayer.world().tick; }
};

struct RecordingDiff {
  Side a;
  Side b;
  std::uint64_t ticks = 0;                     ///< ticks that both have, and that were compared
  std::optional<CommandDifference> command{};  ///< the first difference in commands
  std::optional<Tick> tick{};                  ///< the first tick whose worlds differ
  record::Difference what{};                   ///< `expected` is the value of a, `got` that of b
  bool is_unrepeatable = false;                ///< they differ, and are the same recording
  bool interrupted = false;  ///< stopped before the end, with or without a difference

  [[nodiscard]] bool same() const { return !command && !tick; }

  [[nodiscard]] bool is_damaged() const { return a.replayer.damages() + b.replayer.damages() > 0; }
};

/// Returns what entered a tick, as `replay trace` prints it, without clients and the sources of
/// inputs.
Json commands_of(const record::Replayer& replayer) {
  Json commands = Json::parse("{" + tick_json(replayer.world(), *replayer.entered()) + "}");
  commands.erase("clients");
  for (Json& input : commands["inputs"])
    input.erase("source");
  return commands;
}

/// Returns the value of a key, or that of an index; null if there is none.
Json value_of(const Json& document, const std::string& key) {
  const Json::json_pointer place = Json::json_pointer{} / key;
  return document.contains(place) ? document.at(place) : Json{};
}

Json seat_of(const Json& command) {
  if (command.is_number()) return command;  // a leave or a join
  const Json seat = value_of(command, "seat");
  return seat.is_null() ? value_of(command, "shooter") : seat;
}

/// Goes on to the first part that differs. Returns false if the values have no parts.
bool descend(CommandDifference& found) {
  if (!found.a.is_structured() || found.a.type() != found.b.type()) return false;
  const Json& longer = found.a.size() < found.b.size() ? found.b : found.a;
  for (const auto& part : longer.items()) {
    Json a = value_of(found.a, part.key());
    Json b = value_of(found.b, part.key());
    if (a == b) continue;
    found.place /= part.key();
    found.a = std::move(a);
    found.b = std::move(b);
    return true;
  }
  return false;
}

/// Returns the first difference in what entered a tick.
std::optional<CommandDifference> first_command(const record::Replayer& a,
                                               const record::Replayer& b) {
  if (a.entered() == nullptr || b.entered() == nullptr) return std::nullopt;
  if (a.entered()->record == b.entered()->record) return std::nullopt;
  CommandDifference found{.tick = a.world().tick, .a = commands_of(a), .b = commands_of(b)};
  if (!descend(found)) return std::nullopt;  // the difference is in what `trace` does not print
  descend(found);                            // from a list to one of its elements
  found.seat = seat_of(found.a.is_null() ? found.b : found.a);
  while (descend(found))
    continue;
  return found;
}

/// Compares a tick that both have. Returns true if their worlds differ.
bool compare(RecordingDiff& diff) {
  const record::Replayer& a = diff.a.replayer;
  const record::Replayer& b = diff.b.replayer;
  ++diff.ticks;
  if (!diff.command) diff.command = first_command(a, b);
  if (a.hash() == b.hash()) return false;
  diff.tick = a.world().tick;
  diff.what = record::difference_or_hashes(a.world(), b.world());
  return true;
}

/// Replays both to the first tick whose worlds differ, or to their ends. Stops early if `stopped`,
/// called before each tick and in the middle of a costly one, returns true. Requires: both have the
/// same game and map.
void replay(RecordingDiff& diff, const std::function<bool()>& stopped) {
  Side& a = diff.a;
  Side& b = diff.b;
  const auto gave_up = [&] { return a.replayer.gave_up() || b.replayer.gave_up(); };
  const auto goes_on = [&] {
    diff.interrupted = gave_up() || stopped();
    return !diff.interrupted;
  };
  a.replayer.stop_when(stopped);
  b.replayer.stop_when(stopped);
  bool has_a = a.next();
  bool has_b = b.next();
  while ((has_a || has_b) && goes_on()) {
    const bool is_of_a = has_a && (!has_b || a.tick() <= b.tick());
    const bool is_of_b = has_b && (!has_a || b.tick() <= a.tick());
    if (is_of_a && is_of_b && compare(diff)) break;
    if (is_of_a) has_a = a.next();
    if (is_of_b) has_b = b.next();
  }
  diff.interrupted = diff.interrupted || gave_up();
}

Json document_of(const std::optional<TickRange>& range) {
  if (!range) return nullptr;
  return {{"first", range->first.value}, {"last", range->last.value}};
}

Json document_of(const RecordingDiff& diff) {
  const bool is_open = diff.interrupted && diff.same();
  Json document{{"same", is_open ? Json{} : Json(diff.same())},
                {"ticks", diff.ticks},
                {"a", document_of(diff.a.range)},
                {"b", document_of(diff.b.range)},
                {"damages", {{"a", diff.a.replayer.damages()}, {"b", diff.b.replayer.damages()}}},
                {"first_command", nullptr},
                {"first_difference", nullptr},
                {"unrepeatable", diff.is_unrepeatable},
                {"interrupted", diff.interrupted}};
  if (diff.command) {
    document["first_command"] = {{"tick", diff.command->tick.value},
                                 {"place", diff.command->place.to_string()},
                                 {"seat", diff.command->seat},
                                 {"a", diff.command->a},
                                 {"b", diff.command->b}};
  }
  if (diff.tick) {
    document["first_difference"] = {
        {"tick", diff.tick->value},     {"entity", entity_or_null<Json>(diff.what.entity)},
        {"subject", diff.what.subject}, {"field", diff.what.field},
        {"a", diff.what.expected},      {"b", diff.what.got}};
  }
  return document;
}

std::string text_of(const std::optional<TickRange>& range) {
  return range ? fmt::format("ticks {} to {}", range->first.value, range->last.value)
               : std::string{"no ticks"};
}

/// Returns the range of each, with its name.
std::string ranges_text(const DiffFlags& options, const RecordingDiff& diff) {
  return fmt::format("{} has {}, {} has {}", printable(options.a), text_of(diff.a.range),
                     printable(options.b), text_of(diff.b.range));
}

std::string text_of(const DiffFlags& options, const RecordingDiff& diff) {
  std::string text = fmt::format("{} compared: {}\n", counted(diff.ticks, "tick"),
                                 !diff.same()       ? "they differ"
                                 : diff.interrupted ? "the same so far"
                                                    : "all the same");
  if (diff.command) {
    const CommandDifference& command = *diff.command;
    text += fmt::format(
        "  command  tick {}: {}{}: {} | {}\n", command.tick.value, command.place.to_string(),
        command.seat.is_null() ? "" : fmt::format(" of seat {}", command.seat.dump()),
        command.a.dump(), command.b.dump());
  }
  if (diff.tick) {
    text += fmt::format("  world    tick {}: {}: {} | {}\n", diff.tick->value,
                        field_text(diff.what), diff.what.expected, diff.what.got);
  }
  if (diff.is_unrepeatable) {
    text += fmt::format("  memory   both are the same recording: {}\n", kMemoryOutside);
  }
  if (diff.same() && !diff.interrupted && diff.a.range != diff.b.range) {
    text += fmt::format("  ranges   {}\n", ranges_text(options, diff));
  }
  if (diff.is_damaged()) {
    text += fmt::format("  damage   {} places in {}, {} in {}\n", diff.a.replayer.damages(),
                        printable(options.a), diff.b.replayer.damages(), printable(options.b));
  }
  return text;
}

/// Returns why the two cannot be compared; empty if they can.
std::string incomparable(const record::Header& a, const record::Header& b) {
  if (a.game != b.game) return fmt::format("the games are {} and {}", a.game, b.game);
  if (a.game_version != b.game_version) {
    return fmt::format("the versions are {} {} and {}", a.game, a.game_version, b.game_version);
  }
  if (a.tick_rate != b.tick_rate) {
    return fmt::format("the tick rates are {} and {}", a.tick_rate, b.tick_rate);
  }
  if (a.map_hash != b.map_hash) {
    return fmt::format("the maps are {} and {}", hash_text(a.map_hash), hash_text(b.map_hash));
  }
  // Only for one map and tick rate does the hash of the rules tell the rules apart.
  if (a.game_hash != b.game_hash) {
    return fmt::format("the rules of {} {} are {} and {}", a.game, a.game_version,
                       hash_text(a.game_hash), hash_text(b.game_hash));
  }
  return {};
}

ExitCode run_diff(const DiffFlags& options) {
  const auto a = open_with_header(options.a, *options.output);
  if (!a) return a.error();
  const auto b = open_with_header(options.b, *options.output);
  if (!b) return b.error();
  const record::Reader& reader_a = *(*a)->reader;
  const record::Reader& reader_b = *(*b)->reader;
  const std::string why = incomparable(reader_a.header(), reader_b.header());
  if (!why.empty()) {
    return options.output->failed(
        ExitCode::Failed,
        fmt::format("cannot compare {} and {}: {}; give two recordings of one game", options.a,
                    options.b, why));
  }
  const auto setting = setting_of(**a, *options.output);
  if (!setting) return setting.error();
  const os::Interruption interruption;
  RecordingDiff diff{.a = {.replayer = {reader_a, *setting->game, setting->map}},
                     .b = {.replayer = {reader_b, *setting->game, setting->map}}};
  replay(diff, [&] { return interruption.requested(); });
  diff.is_unrepeatable = diff.tick && (*a)->bytes == (*b)->bytes;
  if (!diff.interrupted && diff.ticks == 0 && !diff.is_damaged()) {
    return options.output->failed(ExitCode::Failed,
                                  "nothing to compare: " + ranges_text(options, diff));
  }
  const bool held = diff.same() && !diff.is_damaged();
  const ExitCode code = !held              ? ExitCode::CheckFailed
                        : diff.interrupted ? ExitCode::Inconclusive
                                           : ExitCode::Done;
  const std::string error =
      !diff.same()        ? options.a + " and " + options.b + " differ"
      : !held             ? "damaged inside: lost ticks are not compared"
      : !diff.interrupted ? ""
      : diff.a.range      ? fmt::format("stopped at tick {} of {}; later ticks are not compared",
                                        diff.a.range->last.value, options.a)
                          : "stopped before the first tick; nothing is compared";
  const ExitCode printed =
      options.output->json()
          ? options.output->print_document(document_of(diff), code, error)
          : options.output->print(std::string_view{text_of(options, diff)}, code);
  return diff.interrupted ? options.output->fell_short(printed, error) : printed;
}

}  // namespace

void add_replay_diff(const Subcommand& place) {
  auto [command, options] = place.add(
      {.name = "diff",
       .description = "Find where two recordings first differ. Compares the ticks that both have. "
                      "Prints the first tick, entity and field that differ, and the first command "
                      "that differs. Does not compare client ids and the sources of inputs. Exit 3 "
                      "if they differ, 5 if stopped early.",
       .example = place.output->name + " diff yesterday.tickbox today.tickbox"},
      run_diff);
  command.add_option("A", options->a, "A recording", {.required = true});
  command.add_option("B", options->b, "Another recording of the same game", {.required = true});
}

}  // namespace tickbox::commands
