// `tickbox replay diff`: the first tick, entity and field in which two recordings differ, and the
// first command, which usually is why. Exit codes: 0 what both hold is the same; 1 there is nothing
// to read, or nothing to compare; 3 they differ, or are damaged inside; 5 they were the same when
// it was stopped.

#include "client/commands/replay/recording_diff.h"
#include "client/commands/replay/replay_commands.h"
#include "os/process/signals.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace tickbox::commands {
namespace {

using cli::ExitCode;
using Json = nlohmann::ordered_json;

struct DiffFlags {
  std::shared_ptr<ReplayFlags> flags;
  std::string a{};
  std::string b{};
};

Json document_of(const std::optional<TickRange>& range) {
  if (!range) return nullptr;
  return {{"first", range->first.value}, {"last", range->last.value}};
}

Json document_of(const RecordingDiff& diff) {
  const bool is_open = diff.interrupted && diff.same();
  Json document{{"same", is_open ? Json{} : Json(diff.same())},
                {"ticks", diff.ticks},
                {"a", document_of(diff.a)},
                {"b", document_of(diff.b)},
                {"damages", {{"a", diff.damages_a}, {"b", diff.damages_b}}},
                {"first_command", nullptr},
                {"first_difference", nullptr},
                {"interrupted", diff.interrupted}};
  if (diff.command) {
    document["first_command"] = {{"tick", diff.command->tick.value},
                                 {"kind", diff.command->kind},
                                 {"seat", diff.command->seat.value},
                                 {"a", diff.command->a},
                                 {"b", diff.command->b}};
  }
  if (diff.tick) {
    document["first_difference"] = {
        {"tick", diff.tick->value},
        {"entity", diff.what.entity ? Json(diff.what.entity->value) : Json{}},
        {"field", diff.what.field},
        {"a", diff.what.expected},
        {"b", diff.what.got}};
  }
  return document;
}

std::string range_text(const std::optional<TickRange>& range) {
  return range ? fmt::format("ticks {} to {}", range->first.value, range->last.value)
               : std::string{"no ticks"};
}

std::string text_of(const DiffFlags& options, const RecordingDiff& diff) {
  std::string text = fmt::format("{} ticks that both hold: {}\n", grouped(diff.ticks),
                                 !diff.same()       ? "they differ"
                                 : diff.interrupted ? "the same so far"
                                                    : "all the same");
  if (diff.command) {
    text +=
        fmt::format("  command  tick {}: {} of seat {}: {} | {}\n", diff.command->tick.value,
                    diff.command->kind, diff.command->seat.value, diff.command->a, diff.command->b);
  }
  if (diff.tick) {
    const std::string entity =
        diff.what.entity
            ? fmt::format("{} {} ", kind_name(*diff.what.entity), diff.what.entity->value)
            : "";
    text += fmt::format("  world    tick {}: {}{}: {} | {}\n", diff.tick->value, entity,
                        diff.what.field, diff.what.expected, diff.what.got);
  }
  const bool ranges_differ =
      diff.a && diff.b && (diff.a->first != diff.b->first || diff.a->last != diff.b->last);
  if (diff.same() && !diff.interrupted && (ranges_differ || !diff.a || !diff.b)) {
    text += fmt::format("  ranges   {} has {}, {} has {}\n", options.a, range_text(diff.a),
                        options.b, range_text(diff.b));
  }
  if (diff.damages_a + diff.damages_b > 0) {
    text += fmt::format("  damage   {} places in {}, {} in {}\n", diff.damages_a, options.a,
                        diff.damages_b, options.b);
  }
  return text;
}

/// What keeps the two from being compared; empty where nothing does.
std::string incomparable(const record::Header& a, const record::Header& b) {
  if (a.rules != b.rules) return fmt::format("the rules are {} and {}", a.rules, b.rules);
  if (a.tick_rate != b.tick_rate) {
    return fmt::format("the tick rates are {} and {}", a.tick_rate, b.tick_rate);
  }
  if (a.map_hash != b.map_hash) {
    return fmt::format("the maps are {} and {}", hex(a.map_hash), hex(b.map_hash));
  }
  return {};
}

int run_diff(const DiffFlags& options) {
  const auto a = open_whole_recording(options.a, *options.flags);
  if (!a) return a.error();
  const auto b = open_whole_recording(options.b, *options.flags);
  if (!b) return b.error();
  const record::Reader& reader_a = *(*a)->reader;
  const record::Reader& reader_b = *(*b)->reader;
  const std::string why = incomparable(reader_a.header(), reader_b.header());
  if (!why.empty()) {
    return replay_failed(
        *options.flags, ExitCode::Failed,
        fmt::format("cannot compare {} and {}: {}; give two recordings of one game", options.a,
                    options.b, why));
  }
  const auto setting = setting_of(**a, *options.flags);
  if (!setting) {
    return setting.error();
  }
  const os::Interruption interruption;
  record::Replayer replayer_a{reader_a, setting->map, *setting->rules};
  record::Replayer replayer_b{reader_b, setting->map, *setting->rules};
  const RecordingDiff found =
      diff(replayer_a, replayer_b, [&] { return interruption.requested(); });
  if (!found.interrupted && found.ticks == 0 && found.damages_a + found.damages_b == 0) {
    return replay_failed(*options.flags, ExitCode::Failed,
                         fmt::format("nothing to compare: {} holds {}, {} holds {}", options.a,
                                     range_text(found.a), options.b, range_text(found.b)));
  }
  const bool held = found.same() && found.damages_a + found.damages_b == 0;
  const ExitCode code = !held               ? ExitCode::CheckFailed
                        : found.interrupted ? ExitCode::Inconclusive
                                            : ExitCode::Done;
  const std::string error =
      !found.same()        ? options.a + " and " + options.b + " differ"
      : !held              ? "damaged inside: what is lost is not compared"
      : !found.interrupted ? ""
      : found.a ? fmt::format("stopped at tick {} of {}; what comes later is not compared",
                              found.a->last.value, options.a)
                : "stopped before the first tick; nothing is compared";
  const int printed = options.flags->json()
                          ? replay_document(document_of(found), code, error)
                          : replay_result(std::string_view{text_of(options, found)}, code);
  return found.interrupted ? replay_fell_short(static_cast<ExitCode>(printed), error) : printed;
}

}  // namespace

void add_replay_diff(const ReplayCommand& place) {
  auto options = std::make_shared<DiffFlags>(DiffFlags{.flags = place.flags});
  cli::Command command = place.replay.add_command(
      {.name = "diff",
       .description =
           "Tell the first tick, entity and field in which two recordings differ, and the first "
           "command; exit 3 when they do, 5 when stopped before. Compares the ticks that both hold",
       .example = "tickbox replay diff yesterday.tickbox today.tickbox"},
      place.flags->common);
  command.add_option("A", options->a, "A recording", {.required = true});
  command.add_option("B", options->b, "Another of the same game", {.required = true});
  command.callback([options, &run = place.run] { run = [options] { return run_diff(*options); }; });
}

}  // namespace tickbox::commands
