#include "client/commands/sim/sim_outcome.h"

#include "cli/exit_code.h"
#include "scenario/trace.h"

#include <array>
#include <cstdio>

namespace tickbox::commands {
namespace {

std::string decimal(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f", value);
  return text.data();
}

}  // namespace

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
