// `tickbox replay diff`: prints the first tick, entity and field in which two recordings differ,
// and the first different command, usually the reason. Exit codes: 0 the common ticks are the same;
// 1 a file cannot be read, or there is nothing to compare; 3 they differ, or one is damaged; 5
// stopped, and the same so far.

#include "client/commands/replay/match_text.h"
#include "client/commands/replay/replay_commands.h"
#include "core/text.h"
#include "engine/declared.h"
#include "engine/log/words.h"
#include "os/process/signals.h"
#include "record/difference.h"
#include "record/replayer.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>

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
  std::string kind;  ///< "leave", "join", "input", "strike", "outcome" or "idle"
  Player seat;       ///< for a strike, the seat of the shooter; for an outcome or idle nobody
  std::string a;     ///< in words, or "absent"; of an input the values that differ
  std::string b;
};

/// The first and the last tick of a recording.
struct TickRange {
  Tick first;
  Tick last;
};

struct RecordingDiff {
  std::uint64_t ticks = 0;     ///< ticks that both have, and that were compared
  std::optional<TickRange> a;  ///< as far as it was read
  std::optional<TickRange> b;
  std::optional<CommandDifference> command;  ///< the first difference in commands
  std::optional<Tick> tick;                  ///< the first tick whose worlds differ
  bool is_unrepeatable = false;              ///< they differ, and are the same recording
  record::Difference what;                   ///< `expected` is the value of a, `got` that of b
  std::uint32_t damages_a = 0;
  std::uint32_t damages_b = 0;
  bool interrupted = false;  ///< stopped before the end, with or without a difference

  [[nodiscard]] bool same() const { return !command && !tick; }
};

constexpr const char* kAbsent = "absent";
constexpr const char* kThere = "there";

/// Returns the first seat that only one of two lists has; both are ordered by seat.
std::optional<CommandDifference> first_of(const char* kind, std::span<const Player> a,
                                          std::span<const Player> b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() && in_b == b.end()) return std::nullopt;
  const bool is_of_a = in_b == b.end() || (in_a != a.end() && in_a->seat < in_b->seat);
  return CommandDifference{.tick = {},
                           .kind = kind,
                           .seat = is_of_a ? *in_a : *in_b,
                           .a = is_of_a ? kThere : kAbsent,
                           .b = is_of_a ? kAbsent : kThere};
}

/// A tick of a recording, with its world after it.
struct EnteredTick {
  const engine::World& world;
  const engine::DecodedTick& tick;

  [[nodiscard]] std::string input_text(Player player, ConstBytes other) const {
    return engine::changes_in_words(world.game().input, other,
                                    input_in(world, tick.record, player));
  }
};

/// Returns the first input that differs, of the players that are in both rooms.
std::optional<CommandDifference> first_input(const EnteredTick& a, const EnteredTick& b) {
  for (const engine::PlayerSource& each : a.tick.sources) {
    if (!b.world.has(each.player)) continue;
    const ConstBytes in_a = input_in(a.world, a.tick.record, each.player);
    const ConstBytes in_b = input_in(b.world, b.tick.record, each.player);
    if (!engine::are_equal(a.world.game().input, in_a, in_b)) {
      return CommandDifference{.tick = {},
                               .kind = "input",
                               .seat = each.player,
                               .a = a.input_text(each.player, in_b),
                               .b = b.input_text(each.player, in_a)};
    }
  }
  return std::nullopt;
}

std::string text_of(const engine::Strike& strike) {
  return fmt::format("at {}", strike.victim.id);
}

std::optional<CommandDifference> first_strike(std::span<const engine::Strike> a,
                                              std::span<const engine::Strike> b) {
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  if (in_a == a.end() && in_b == b.end()) return std::nullopt;
  return CommandDifference{.tick = {},
                           .kind = "strike",
                           .seat = in_a != a.end() ? in_a->shooter : in_b->shooter,
                           .a = in_a != a.end() ? text_of(*in_a) : kAbsent,
                           .b = in_b != b.end() ? text_of(*in_b) : kAbsent};
}

/// Returns the first outcome that differs: what the server has decided.
std::optional<CommandDifference> first_outcome(const EnteredTick& a, const EnteredTick& b) {
  const engine::TickRecord& of_a = a.tick.record;
  const engine::TickRecord& of_b = b.tick.record;
  for (std::size_t i = 0; i < std::max(of_a.outcomes.size(), of_b.outcomes.size()); ++i) {
    const auto text = [&](const EnteredTick& of) {
      const engine::TickRecord& record = of.tick.record;
      return i < record.outcomes.size() ? in_words(of.world.game(), record, record.outcomes[i])
                                        : std::string{kAbsent};
    };
    CommandDifference found{.tick = {}, .kind = "outcome", .seat = {}, .a = text(a), .b = text(b)};
    if (found.a != found.b) return found;
  }
  return std::nullopt;
}

/// Returns whether one of the ticks was idle and the other was stepped.
std::optional<CommandDifference> idle_difference(const EnteredTick& a, const EnteredTick& b) {
  if (a.tick.record.is_idle == b.tick.record.is_idle) return std::nullopt;
  const auto text = [](const EnteredTick& of) { return of.tick.record.is_idle ? kThere : kAbsent; };
  return CommandDifference{.tick = {}, .kind = "idle", .seat = {}, .a = text(a), .b = text(b)};
}

std::optional<CommandDifference> first_command(const EnteredTick& a, const EnteredTick& b) {
  auto found = first_of("leave", a.tick.leaves, b.tick.leaves);
  if (!found) found = first_of("join", a.tick.joins, b.tick.joins);
  if (!found) found = first_input(a, b);
  if (!found) found = first_strike(a.tick.record.strikes, b.tick.record.strikes);
  if (!found) found = first_outcome(a, b);
  if (!found) found = idle_difference(a, b);
  if (found) found->tick = a.world.tick;
  return found;
}

/// A replayer, and the range of ticks that it has replayed.
class Side {
 public:
  Side(record::Replayer& replayer, std::optional<TickRange>& range)
      : replayer_(replayer), range_(range) {}

  bool next() {
    if (!replayer_.next()) return false;
    const Tick tick = replayer_.world().tick;
    if (!range_) range_ = TickRange{.first = tick, .last = tick};
    range_->last = tick;
    return true;
  }

  [[nodiscard]] const record::Replayer& at() const { return replayer_; }

  [[nodiscard]] Tick tick() const { return replayer_.world().tick; }

 private:
  record::Replayer& replayer_;
  std::optional<TickRange>& range_;
};

/// Compares one tick that both have. Returns true if their worlds differ.
bool compare(const Side& a, const Side& b, RecordingDiff& diff) {
  ++diff.ticks;
  if (!diff.command && a.at().entered() != nullptr && b.at().entered() != nullptr) {
    diff.command = first_command({.world = a.at().world(), .tick = *a.at().entered()},
                                 {.world = b.at().world(), .tick = *b.at().entered()});
  }
  if (a.at().hash() == b.at().hash()) return false;
  diff.tick = a.tick();
  diff.what = record::difference_or_hashes(a.at().world(), b.at().world());
  return true;
}

/// Replays both to the first tick whose worlds differ, or to the end. Stops early if `stopped`,
/// called before each tick and in the middle of a costly one, returns true. Requires: both have the
/// same game and map.
RecordingDiff diff(record::Replayer& a, record::Replayer& b, const std::function<bool()>& stopped) {
  RecordingDiff found;
  const auto goes_on = [&] {
    found.interrupted = found.interrupted || a.gave_up() || b.gave_up() || stopped();
    return !found.interrupted;
  };
  a.stop_when(stopped);
  b.stop_when(stopped);
  Side left{a, found.a};
  Side right{b, found.b};
  bool has_a = left.next();
  bool has_b = right.next();
  while (has_a && has_b && goes_on()) {
    if (left.tick() < right.tick()) {
      has_a = left.next();
    } else if (right.tick() < left.tick()) {
      has_b = right.next();
    } else {
      if (compare(left, right, found)) break;
      has_a = left.next();
      has_b = right.next();
    }
  }
  // Without a difference, replay both to their ends, so that the ranges are complete.
  while (found.same() && has_a && goes_on())
    has_a = left.next();
  while (found.same() && has_b && goes_on())
    has_b = right.next();
  found.interrupted = found.interrupted || a.gave_up() || b.gave_up();
  found.damages_a = a.damages();
  found.damages_b = b.damages();
  return found;
}

Json document_of(const std::optional<TickRange>& range) {
  if (!range) return nullptr;
  return {{"first", range->first.value}, {"last", range->last.value}};
}

Json seat_or_null(Player player) {
  return player.seat == Player::kNobody ? Json{} : Json(player.seat);
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
                {"unrepeatable", diff.is_unrepeatable},
                {"interrupted", diff.interrupted}};
  if (diff.command) {
    document["first_command"] = {{"tick", diff.command->tick.value},
                                 {"kind", diff.command->kind},
                                 {"seat", seat_or_null(diff.command->seat)},
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

std::string range_text(const std::optional<TickRange>& range) {
  return range ? fmt::format("ticks {} to {}", range->first.value, range->last.value)
               : std::string{"no ticks"};
}

std::string text_of(const DiffFlags& options, const RecordingDiff& diff) {
  std::string text = fmt::format("{} compared: {}\n", counted(diff.ticks, "tick"),
                                 !diff.same()       ? "they differ"
                                 : diff.interrupted ? "the same so far"
                                                    : "all the same");
  if (diff.command) {
    const CommandDifference& command = *diff.command;
    const std::string of = command.seat.seat == Player::kNobody
                               ? std::string{}
                               : fmt::format(" of seat {}", command.seat.seat);
    text += fmt::format("  command  tick {}: {}{}: {} | {}\n", command.tick.value, command.kind, of,
                        command.a, command.b);
  }
  if (diff.tick) {
    text += fmt::format("  world    tick {}: {}: {} | {}\n", diff.tick->value,
                        field_text(diff.what), diff.what.expected, diff.what.got);
  }
  if (diff.is_unrepeatable) {
    text += fmt::format("  memory   both are the same recording: {}\n", kMemoryOutside);
  }
  const bool ranges_differ =
      diff.a && diff.b && (diff.a->first != diff.b->first || diff.a->last != diff.b->last);
  if (diff.same() && !diff.interrupted && (ranges_differ || !diff.a || !diff.b)) {
    text += fmt::format("  ranges   {} has {}, {} has {}\n", printable(options.a),
                        range_text(diff.a), printable(options.b), range_text(diff.b));
  }
  if (diff.damages_a + diff.damages_b > 0) {
    text += fmt::format("  damage   {} places in {}, {} in {}\n", diff.damages_a,
                        printable(options.a), diff.damages_b, printable(options.b));
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
  record::Replayer replayer_a{reader_a, *setting->game, setting->map};
  record::Replayer replayer_b{reader_b, *setting->game, setting->map};
  RecordingDiff found = diff(replayer_a, replayer_b, [&] { return interruption.requested(); });
  found.is_unrepeatable = found.tick && (*a)->bytes == (*b)->bytes;
  if (!found.interrupted && found.ticks == 0 && found.damages_a + found.damages_b == 0) {
    return options.output->failed(ExitCode::Failed,
                                  fmt::format("nothing to compare: {} has {}, {} has {}", options.a,
                                              range_text(found.a), options.b, range_text(found.b)));
  }
  const bool held = found.same() && found.damages_a + found.damages_b == 0;
  const ExitCode code = !held               ? ExitCode::CheckFailed
                        : found.interrupted ? ExitCode::Inconclusive
                                            : ExitCode::Done;
  const std::string error =
      !found.same()        ? options.a + " and " + options.b + " differ"
      : !held              ? "damaged inside: lost ticks are not compared"
      : !found.interrupted ? ""
      : found.a            ? fmt::format("stopped at tick {} of {}; later ticks are not compared",
                                         found.a->last.value, options.a)
                           : "stopped before the first tick; nothing is compared";
  const ExitCode printed =
      options.output->json()
          ? options.output->print_document(document_of(found), code, error)
          : options.output->print(std::string_view{text_of(options, found)}, code);
  return found.interrupted ? options.output->fell_short(printed, error) : printed;
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
