// `tickbox sim`: steps a scenario file without a network, traces its ticks and prints a summary.

#include "client/commands/commands.h"
#include "client/commands/output.h"
#include "client/commands/sim/comparison.h"
#include "client/commands/text.h"
#include "client/scenario/scenario.h"
#include "client/scenario/trace.h"
#include "core/text.h"
#include "os/files/file.h"
#include "os/process/signals.h"
#include "os/process/standard_output.h"
#include "sim/step.h"
#include "sim/step/overlaps.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <expected>
#include <memory>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

/// The limit of one step: that many movers are searched again after impacts. It takes some
/// hundredths of a second.
constexpr std::uint64_t kSearchesPerStep = 500'000;
/// More for each mover: several times what the densest pile needs.
constexpr std::uint64_t kSearchesPerMover = 128;

struct SimFlags {
  Output output;
  std::string scenario{};                ///< a file, "-" for stdin
  std::string trace{};                   ///< a file, "-" for stdout, empty for none
  std::optional<std::uint32_t> ticks{};  ///< replaces the scenario's number
  std::string compare{};                 ///< a method; empty: none
};

/// The result of a scenario's run.
struct Outcome {
  std::uint32_t ticks = 0;
  std::uint64_t hash = 0;
  std::uint64_t contacts = 0;
  std::size_t movers = 0;
  std::size_t overlaps_left = 0;
  std::uint64_t freezes = 0;
  std::uint32_t events_max = 0;
  std::vector<double> step_us{};       ///< the time of each step, sorted
  std::optional<Comparison> beside{};  ///< with --compare
  std::uint32_t ticks_wanted = 0;
  bool interrupted = false;  ///< stopped before the last requested tick

  /// Returns the smallest time that `percent` % of the steps did not exceed.
  [[nodiscard]] double percentile(std::size_t percent) const {
    return step_us.empty() ? 0 : step_us[(step_us.size() * percent + 99) / 100 - 1];
  }
};

void apply_changes(const scenario::Scenario& scenario, Tick tick, std::size_t& next,
                   sim::PhysicsWorld& world) {
  for (; next < scenario.changes.size() && scenario.changes[next].tick <= tick; ++next) {
    sim::Body* const body = world.find_mover(scenario.changes[next].id);
    if (body != nullptr) scenario.changes[next].apply(*body);
  }
}

Outcome play(const scenario::Scenario& scenario, const SimFlags& options, TraceOutput& trace) {
  using Clock = std::chrono::steady_clock;
  const std::uint32_t ticks = options.ticks.value_or(scenario.ticks);
  sim::PhysicsWorld world = scenario::make_world(scenario);
  sim::PhysicsStepper stepper;
  const os::Interruption interruption;
  Outcome outcome{.ticks_wanted = ticks};
  if (!options.compare.empty()) outcome.beside.emplace(world);
  std::string line;
  const auto trace_tick = [&](Tick tick, const sim::StepReport& report) {
    if (!trace.wanted()) return;
    line.clear();
    scenario::append_trace_line(line, tick, world, report);
    trace.write(line);
  };

  trace_tick(Tick{0}, {});
  std::size_t next_change = 0;
  std::size_t next_beside = 0;
  for (Tick tick{1}; tick.value <= ticks && !trace.failed(); tick = tick + 1) {
    outcome.interrupted = interruption.requested();
    if (outcome.interrupted) break;
    apply_changes(scenario, tick, next_change, world);
    if (outcome.beside) {
      apply_changes(scenario, tick, next_beside, outcome.beside->discrete.world);
    }
    stepper.limit({.searched_again = kSearchesPerStep + kSearchesPerMover * world.movers().size()});
    const auto begin = Clock::now();
    const sim::StepReport& report = stepper.step(world);
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    outcome.ticks = tick.value;
    outcome.step_us.push_back(took.count());
    outcome.contacts += report.contacts.size();
    outcome.freezes += report.frozen.size();
    outcome.events_max = std::max(outcome.events_max, report.events_max);
    trace_tick(tick, report);
    if (outcome.beside) outcome.beside->after_step(tick, world, report);
  }
  outcome.hash = sim::state_hash(world);
  outcome.movers = world.movers().size();
  outcome.overlaps_left = sim::find_overlaps(world).size();
  std::ranges::sort(outcome.step_us);
  return outcome;
}

/// Returns the error, or an empty text.
std::string check_compare(const std::string& text) {
  return text == "discrete" ? std::string{} : "must be discrete, but is \"" + text + "\"";
}

std::string interruption_of(const Outcome& outcome) {
  return fmt::format("stopped after tick {} of {}", outcome.ticks, outcome.ticks_wanted);
}

std::string document_of(const Comparison& comparison) {
  const auto crossing = [](const Crossing& each) {
    return fmt::format(R"({{"tick":{},"id":{},"through":{}}})", each.tick.value, each.body.value,
                       each.through.value);
  };
  const auto side_of = [&](const ComparedSide& side) {
    return fmt::format(R"({{"crossings":{},"pushed_through":{},"overlaps_left":{},"first":[{}]}})",
                       side.unseen, side.pushed, sim::find_overlaps(side.world).size(),
                       fmt::join(side.first | std::views::transform(crossing), ","));
  };
  return fmt::format(R"(,"compare":{{"with":"discrete","discrete":{},"tickbox":{}}})",
                     side_of(comparison.discrete), side_of(comparison.tickbox));
}

std::string summary_of(const Comparison& comparison) {
  constexpr std::size_t kCrossingsTold = 5;
  std::string text;
  for (const auto& [name, side] :
       {std::pair{"discrete", &comparison.discrete}, std::pair{"tickbox", &comparison.tickbox}}) {
    text += fmt::format("{:15}{} tunnelled unseen, {} pushed through, {} overlaps left\n", name,
                        side->unseen, side->pushed, sim::find_overlaps(side->world).size());
    for (const Crossing& each : side->first | std::views::take(kCrossingsTold)) {
      text += fmt::format("{:15}tick {}: body {} through body {}\n", "", each.tick.value,
                          each.body.value, each.through.value);
    }
  }
  return text;
}

/// Returns one line of JSON, with its line end.
std::string document_of(const Outcome& outcome) {
  const ExitCode code = outcome.interrupted ? ExitCode::Inconclusive : ExitCode::Done;
  return fmt::format(
      R"({{"ticks":{},"hash":"{}","contacts":{},"overlaps_left":{},"freezes":{},"events_max":{},)"
      R"("step_us":{{"p50":{:.3f},"p99":{:.3f}}},"interrupted":{}{},"exit":{}{}}})"
      "\n",
      outcome.ticks, hash_text(outcome.hash), outcome.contacts, outcome.overlaps_left,
      outcome.freezes, outcome.events_max, outcome.percentile(50), outcome.percentile(99),
      outcome.interrupted, outcome.beside ? document_of(*outcome.beside) : "", cli::to_int(code),
      outcome.interrupted ? fmt::format(R"(,"error":"{}")", interruption_of(outcome)) : "");
}

std::string summary_of(const scenario::Scenario& scenario, const Outcome& outcome) {
  return fmt::format(
      "{} ({:.3f} s at {} Hz), {} moving and {} static bodies\n"
      "contacts       {}, at most {} of one body in a tick\n"
      "overlaps left  {}\n"
      "freezes        {}\n"
      "step           {:.3f} us median, {:.3f} us p99\n"
      "hash           {}\n{}",
      counted(outcome.ticks, "tick"), static_cast<double>(outcome.ticks) / scenario.tick_rate,
      scenario.tick_rate, outcome.movers, scenario.statics.size(), outcome.contacts,
      outcome.events_max, outcome.overlaps_left, outcome.freezes, outcome.percentile(50),
      outcome.percentile(99), hash_text(outcome.hash),
      outcome.beside ? summary_of(*outcome.beside) : "");
}

ExitCode run_sim(const SimFlags& options) {
  const Output& output = options.output;
  const std::string file = options.scenario == "-" ? "/dev/stdin" : options.scenario;
  const auto text = os::read_text(file, scenario::kScenarioBytesMax);
  if (!text) return output.failed(ExitCode::Failed, text.error());
  const auto scenario = scenario::parse_scenario(*text, options.scenario);
  if (!scenario) return output.failed(ExitCode::WrongUsage, scenario.error());

  TraceOutput trace{options.trace};
  if (trace.failed()) return output.failed(ExitCode::Failed, trace.error());
  const Outcome outcome = play(*scenario, options, trace);
  trace.close();
  if (trace.failed()) return output.failed(ExitCode::Failed, trace.error());

  // A document must be the last line on stdout; a summary must not mix with a trace there.
  ExitCode ended = ExitCode::Done;
  if (options.trace == "-" && !output.json()) {
    os::write_to_stderr(summary_of(*scenario, outcome));
  } else {
    ended = output.print(output.json() ? document_of(outcome) : summary_of(*scenario, outcome));
  }
  if (ended == ExitCode::Done && outcome.interrupted) {
    ended = output.fell_short(ExitCode::Inconclusive, interruption_of(outcome));
  }
  return ended;
}

}  // namespace

void add_sim(cli::CommandParser& program, std::function<int()>& run) {
  const auto options = std::make_shared<SimFlags>();
  options->output = {.name = program.name() + " sim", .program = &program};
  cli::CommandParser command = program.add_command(
      {.name = "sim",
       .description =
           "Step a scenario file without a network. Exit 5 if stopped before its last tick.",
       .example = options->output.name + " tests/data/scenarios/goomba.json --trace - --ticks 5"},
      options->output.common);
  command.add_option("scenario", options->scenario,
                     "A JSON file of static, dynamic and kinematic boxes, in units, y down (-: "
                     "stdin). tests/data/scenarios/every_key.json has every key once",
                     {.required = true, .value = "SCENARIO"});
  command.add_option("--trace", options->trace,
                     "Write a line of JSON per tick to a new file (-: stdout)", {.value = "F"});
  command.add_option("--ticks", options->ticks, "Run N ticks instead of the scenario's own number",
                     {.value = "N", .check = cli::between(std::int64_t{0}, scenario::kTicksMax)});
  command.add_option("--compare", options->compare,
                     "Step the scenario a second time by another method and count the bodies that "
                     "tunnel in each. WITH is discrete: move first, then test for overlap",
                     {.value = "WITH", .check = {check_compare}});
  command.callback([options, &run] { run = [options] { return cli::to_int(run_sim(*options)); }; });
}

}  // namespace tickbox::commands
