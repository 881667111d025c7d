// `tickbox replay state`: the whole world of one tick. Exit codes: 0; 1 there is nothing to read; 2
// a tick that the recording does not reach; 3 the tick is lost, or its hash differs.

#include "client/commands/replay/replay_commands.h"
#include "client/commands/replay/replay_world.h"
#include "record/replayer.h"
#include "record/segments.h"
#include "scenario/trace.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

struct StateFlags {
  std::shared_ptr<ReplayFlags> flags;
  std::string file{};
  std::uint32_t tick = 0;
};

/// What is wrong with a world that differs; empty where none does.
std::string difference_of(const record::Replayer& replayer) {
  if (replayer.hash() == replayer.recorded_hash()) return {};
  return fmt::format(
      "this is what stepping comes to, and not what was recorded: the hash then was {}; `tickbox "
      "replay verify` tells where it differs first",
      hex(replayer.recorded_hash()));
}

std::string end_of(cli::ExitCode code, const std::string& error) {
  return fmt::format(",\"exit\":{}{}}}\n", cli::to_int(code),
                     error.empty() ? "" : fmt::format(",\"error\":\"{}\"", error));
}

std::string document_of(const record::Replayer& replayer, cli::ExitCode code) {
  const game::World& world = replayer.world();
  std::string out = fmt::format(R"({{"tick":{},"hash":"{}","recorded_hash":"{}","random":"{}",)",
                                world.tick.value, hex(replayer.hash()),
                                hex(replayer.recorded_hash()), hex(world.rng.state()));
  out += "\"seats\":[";
  for (std::size_t i = 0; i < world.seats().size(); ++i) {
    const game::Seat& seat = world.seats()[i];
    fmt::format_to(std::back_inserter(out),
                   R"({}{{"seat":{},"taken":{},"generation":{},"score":{}}})", i > 0 ? "," : "", i,
                   seat.taken, seat.generation, seat.score);
  }
  out += "],";
  append_bodies(out, world);
  out += ",\"commands\":";
  if (replayer.commands() == nullptr) {
    return out + "null" + end_of(code, difference_of(replayer));
  }
  out += "{";
  append_commands(out, *replayer.commands());
  return out + "}" + end_of(code, difference_of(replayer));
}

std::string text_of(const record::Replayer& replayer) {
  const game::World& world = replayer.world();
  std::string out = fmt::format("tick {}  hash {}  random {}\n", world.tick.value,
                                hex(replayer.hash()), hex(world.rng.state()));
  for (std::size_t i = 0; i < world.seats().size(); ++i) {
    const game::Seat& seat = world.seats()[i];
    if (seat.taken) {
      fmt::format_to(std::back_inserter(out), "  seat {:<5} generation {} score {}\n", i,
                     seat.generation, seat.score);
    }
  }
  for (std::size_t i = 0; i < world.size(); ++i) {
    const game::EntityState entity = world.entity(i);
    fmt::format_to(
        std::back_inserter(out), "  {} {} at {}, {}; velocity {}, {}; move {}; timer {}\n",
        kind_name(entity.id), entity.id.value, scenario::units_text(entity.min.x),
        scenario::units_text(entity.min.y), scenario::units_text(entity.velocity.x),
        scenario::units_text(entity.velocity.y), entity.traits.move, entity.traits.timer);
  }
  return out;
}

/// Why a tick is not to be had; `next` is the first after it that is, `last` the last before.
int missing(const StateFlags& options, std::uint32_t damages, std::optional<Tick> last,
            std::optional<Tick> next) {
  if (damages > 0) {
    return replay_failed(*options.flags, ExitCode::CheckFailed,
                         fmt::format("tick {} of {} is lost to damage; `tickbox replay info` tells "
                                     "where it is damaged",
                                     options.tick, options.file));
  }
  if (last && next) {
    return replay_failed(*options.flags, ExitCode::CheckFailed,
                         fmt::format("tick {} was not recorded, as the disk took nothing then; {} "
                                     "goes on with tick {}",
                                     options.tick, options.file, next->value));
  }
  return replay_failed(*options.flags, ExitCode::WrongUsage,
                       fmt::format("--tick {}: {} {}", options.tick, options.file,
                                   next   ? fmt::format("begins with tick {}", next->value)
                                   : last ? fmt::format("ends with tick {}", last->value)
                                          : std::string{"holds no tick"}));
}

int run_state(const StateFlags& options) {
  const auto match = open_match(options.file, *options.flags);
  if (!match) {
    return match.error();
  }
  const Tick wanted{options.tick};
  record::Replayer replayer{record::seek(match->reader(), wanted), match->setting.map,
                            *match->setting.rules};
  std::optional<Tick> last;
  std::optional<Tick> next;
  while (!next && replayer.next()) {
    (replayer.world().tick < wanted ? last : next) = replayer.world().tick;
  }
  if (next != wanted) {
    return missing(options, replayer.damages(), last, next);
  }
  const std::string differs = difference_of(replayer);
  if (!differs.empty()) replay_note(*options.flags, differs);
  const ExitCode code = differs.empty() ? ExitCode::Done : ExitCode::CheckFailed;
  return replay_result(
      std::string_view{options.flags->json() ? document_of(replayer, code) : text_of(replayer)},
      code);
}

}  // namespace

void add_replay_state(const ReplayCommand& place) {
  auto options = std::make_shared<StateFlags>(StateFlags{.flags = place.flags});
  cli::Command command = place.replay.add_command(
      {.name = "state",
       .description =
           "Show the whole world as it was after a tick: seats, and every body with all its "
           "fields, in units and units per tick",
       .example = "tickbox replay state match.tickbox --tick 600 --json"},
      place.flags->common);
  command.add_option("FILE", options->file, "The recording", {.required = true});
  command.add_option("--tick", options->tick, "The tick", {.required = true, .value = "T"});
  command.callback(
      [options, &run = place.run] { run = [options] { return run_state(*options); }; });
}

}  // namespace tickbox::commands
