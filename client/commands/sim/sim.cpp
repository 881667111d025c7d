#include "client/commands/sim/sim.h"

#include "cli/exit_code.h"
#include "client/commands/commands.h"
#include "client/commands/new_file.h"
#include "client/commands/sim/comparison.h"
#include "os/files/file.h"
#include "os/process/signals.h"
#include "os/process/standard_output.h"
#include "scenario/scenario.h"
#include "scenario/trace.h"
#include "sim/step.h"
#include "sim/step/overlaps.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <expected>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::commands {
namespace {

using cli::ExitCode;

void apply_changes(const scenario::Scenario& scenario, Tick tick, std::size_t& next,
                   sim::World& world) {
  for (; next < scenario.changes.size() && scenario.changes[next].tick <= tick; ++next) {
    sim::Body* const body = world.find(scenario.changes[next].id);
    if (body != nullptr) body->velocity = scenario.changes[next].velocity;
  }
}

Outcome play(const scenario::Scenario& scenario, const SimOptions& options, TraceOutput& trace) {
  using Clock = std::chrono::steady_clock;
  const std::uint32_t ticks = options.ticks.value_or(scenario.ticks);
  sim::World world = scenario::make_world(scenario);
  std::optional<Comparison> beside;
  if (options.compare == CompareWith::Discrete) beside.emplace(world);
  sim::Stepper stepper;
  const os::Interruption interruption;
  Outcome outcome{.ticks_wanted = ticks};
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
    if (beside) {
      apply_changes(scenario, tick, next_beside, beside->discrete_world());
      beside->before_step(world);
    }
    const auto begin = Clock::now();
    const sim::StepReport& report = stepper.step(world);
    const std::chrono::duration<double, std::micro> took = Clock::now() - begin;
    outcome.ticks = tick.value;
    outcome.step_us.push_back(took.count());
    outcome.contacts += report.contacts.size();
    outcome.freezes += report.frozen.size();
    outcome.events_max = std::max(outcome.events_max, report.events_max);
    trace_tick(tick, report);
    if (beside) beside->after_step(tick, world, report);
  }
  if (beside) outcome.compared = beside->result(world);
  outcome.hash = sim::state_hash(world);
  outcome.movers = world.movers().size();
  outcome.overlaps_left = sim::find_overlaps(world).size();
  std::ranges::sort(outcome.step_us);
  return outcome;
}

std::expected<CompareWith, std::string> parse_compare(std::string_view text) {
  if (text == "discrete") return CompareWith::Discrete;
  return std::unexpected("must be discrete, and is \"" + std::string{text} + "\"");
}

constexpr std::string_view kSimName = "tickbox sim";

int failed(const SimOptions& options, ExitCode code, const std::string& line) {
  return cli::to_int(cli::tell_failure({.name = kSimName, .json = options.flags.json}, code, line));
}

/// A document must be the last line on stdout; a summary must not mix with a trace there.
int print(const SimOptions& options, const scenario::Scenario& scenario, const Outcome& outcome) {
  std::expected<void, std::string> written;
  if (options.trace == "-" && !options.flags.json) {
    os::write_to_stderr(summary_of(scenario, outcome));
  } else {
    written = os::write_to_stdout(options.flags.json ? document_of(outcome)
                                                     : summary_of(scenario, outcome));
  }
  const auto falls_short = [](ExitCode code, const std::string& how) {
    return cli::to_int(cli::tell_failure({.name = kSimName}, code, how));
  };
  if (!written) return falls_short(ExitCode::Failed, written.error());
  if (!outcome.interrupted) return cli::to_int(ExitCode::Done);
  return falls_short(ExitCode::Inconclusive, interruption_of(outcome));
}

std::string decimal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

}  // namespace

int run_sim(const SimOptions& options) {
  const std::string file = options.scenario == "-" ? "/dev/stdin" : options.scenario;
  const auto bytes = os::read_file(file, scenario::kScenarioBytesMax);
  if (!bytes) return failed(options, ExitCode::Failed, bytes.error());
  const std::string text{reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  const auto scenario = scenario::parse_scenario(text, options.scenario);
  if (!scenario) return failed(options, ExitCode::WrongUsage, scenario.error());

  TraceOutput trace{options.trace};
  if (trace.failed()) return failed(options, ExitCode::Failed, trace.error());
  const Outcome outcome = play(*scenario, options, trace);
  trace.close();
  if (trace.failed()) return failed(options, ExitCode::Failed, trace.error());
  return print(options, *scenario, outcome);
}

void add_sim(cli::Command& program, std::function<int()>& run) {
  const auto options = std::make_shared<SimOptions>();
  cli::Command command = program.add_command(
      {.name = "sim",
       .description =
           "Steps a scenario file without a network. Exit 5 when stopped before its last tick.",
       .example = "tickbox sim tests/data/scenarios/goomba.json --trace - --ticks 5"},
      options->flags);
  command.add_option("scenario", options->scenario,
                     "a JSON file of static, dynamic and kinematic boxes in units, y down; "
                     "tests/data/scenarios/every_key.json has every key once; - is stdin",
                     {.required = true, .value = "SCENARIO"});
  command.add_option("--trace", options->trace,
                     "write a line per tick to a new file, or to - (stdout)", {.value = "F"});
  command.add_option("--ticks", options->ticks, "run so many ticks instead of the scenario's own",
                     {.value = "N", .check = cli::between(std::int64_t{0}, scenario::kTicksMax)});
  command.add_option(
      "--compare", options->compare, &parse_compare,
      "step it a second time in another way, and count what tunnelled in each: discrete "
      "moves, then tests for overlap",
      {.value = "WITH"});
  command.callback([options, &program, &run] {
    options->flags.json = options->flags.json || program.is_on("--json");
    run = [options] { return run_sim(*options); };
  });
}

double Outcome::percentile(std::size_t percent) const {
  if (step_us.empty()) return 0;
  return step_us[(step_us.size() * percent + 99) / 100 - 1];
}

std::string interruption_of(const Outcome& outcome) {
  return "stopped after tick " + std::to_string(outcome.ticks) + " of " +
         std::to_string(outcome.ticks_wanted);
}

std::string document_of(const Outcome& outcome) {
  const cli::ExitCode code =
      outcome.interrupted ? cli::ExitCode::Inconclusive : cli::ExitCode::Done;
  return "{\"ticks\":" + std::to_string(outcome.ticks) + ",\"hash\":\"" +
         scenario::hash_text(outcome.hash) + "\",\"contacts\":" + std::to_string(outcome.contacts) +
         ",\"overlaps_left\":" + std::to_string(outcome.overlaps_left) +
         ",\"freezes\":" + std::to_string(outcome.freezes) +
         ",\"events_max\":" + std::to_string(outcome.events_max) +
         ",\"step_us\":{\"p50\":" + decimal(outcome.percentile(50)) +
         ",\"p99\":" + decimal(outcome.percentile(99)) + "}" +
         ",\"interrupted\":" + (outcome.interrupted ? "true" : "false") +
         (outcome.compared ? ",\"compare\":" + comparison_document(*outcome.compared) : "") +
         ",\"exit\":" + std::to_string(cli::to_int(code)) +
         (outcome.interrupted ? ",\"error\":\"" + interruption_of(outcome) + "\"" : "") + "}\n";
}

std::string summary_of(const scenario::Scenario& scenario, const Outcome& outcome) {
  const double seconds = static_cast<double>(outcome.ticks) / scenario.tick_rate;
  return std::to_string(outcome.ticks) + " ticks (" + decimal(seconds) + " s at " +
         std::to_string(scenario.tick_rate) + " Hz), " + std::to_string(outcome.movers) +
         " moving and " + std::to_string(scenario.statics.size()) + " static bodies\n" +
         "contacts       " + std::to_string(outcome.contacts) + ", at most " +
         std::to_string(outcome.events_max) + " of one body in a tick\n" + "overlaps left  " +
         std::to_string(outcome.overlaps_left) + "\nfreezes        " +
         std::to_string(outcome.freezes) + "\nstep           " + decimal(outcome.percentile(50)) +
         " us median, " + decimal(outcome.percentile(99)) + " us p99\nhash           " +
         scenario::hash_text(outcome.hash) + "\n" +
         (outcome.compared ? comparison_summary(*outcome.compared) : "");
}

}  // namespace tickbox::commands
