// The program NAME-laws: the laws on random matches of one game.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "core/assert.h"
#include "laws/laws.h"
#include "os/process/standard_output.h"
#include "tickbox/program.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "package/allocations.h"

namespace tickbox::package {
namespace {

/// Returns the counter of allocations for the law. With TICKBOX_AUDIT there is none: the checks
/// after each step allocate.
std::function<std::uint64_t()> counter() {
#ifdef TICKBOX_AUDIT
  return {};
#else
  return allocations;
#endif
}

// A handler of failed assertions takes no argument of ours.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
laws::LawPlace place_of_rules;

void tell_place(const char* condition, const char* file, int line) {
  print_failed_condition(condition, file, line);
  const auto [seed, tick_rate, tick] = place_of_rules;
  if (tick == 0) return;
  os::write_to_stderr(
      fmt::format("It failed at {0} ticks per second, match {1}, tick {2}; again: "
                  "--seed {1} --matches 1\n",
                  tick_rate, seed, tick));
}

/// Returns a line with the hooks that the game has, each with its kinds, and a line with the
/// others.
std::string hooks_text(const GameTable& game) {
  const laws::HookNames hooks = laws::hooks_of(game);
  std::vector<std::string> declared;
  declared.reserve(hooks.declared.size());
  for (const laws::HookUse& hook : hooks.declared) {
    declared.push_back(hook.kinds.empty()
                           ? std::string{hook.name}
                           : fmt::format("{} ({})", hook.name, fmt::join(hook.kinds, ", ")));
  }
  std::string text;
  if (!declared.empty()) text += fmt::format("hooks: {}\n", fmt::join(declared, ", "));
  if (!hooks.others.empty()) {
    text += fmt::format("not declared: {}\n", fmt::join(hooks.others, ", "));
  }
  return text;
}

std::string document_of(const GameTable& game, std::size_t matches,
                        const std::optional<laws::LawBroken>& broken, cli::ExitCode code) {
  using Json = nlohmann::ordered_json;
  const laws::HookNames hooks = laws::hooks_of(game);
  Json declared = Json::array();
  Json kinds = Json::object();
  for (const laws::HookUse& hook : hooks.declared) {
    declared.push_back(hook.name);
    if (!hook.kinds.empty()) kinds[std::string{hook.name}] = hook.kinds;
  }
  Json document{{"game", game.name},
                {"version", game.version},
                {"matches", matches},
                {"hooks",
                 {{"declared", std::move(declared)},
                  {"kinds", std::move(kinds)},
                  {"not_declared", hooks.others}}},
                {"broken", nullptr},
                {"exit", cli::to_int(code)}};
  if (broken) {
    document["broken"] = {{"law", broken->law},
                          {"seed", broken->seed},
                          {"tick_rate", broken->tick_rate},
                          {"tick", broken->tick.value},
                          {"what", broken->what}};
    document["error"] = laws::to_text(game, *broken);
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace
}  // namespace tickbox::package

int tickbox::run_laws(int argc, char** argv, const GameTable& game) {
  const std::string name = cli::program_name(argc, argv, "laws");
  cli::CommonFlags flags;
  laws::LawOptions options{.allocations = package::counter(), .place = &package::place_of_rules};
  cli::Program program{
      {.name = name,
       .description = "Check on random matches what every game must obey, so that it replays, "
                      "replicates and never desyncs. Says which optional hooks the game has, and "
                      "for which kinds: one with a misspelt name is missing there, and so is a "
                      "kind for which it has other arguments. Exit 3 if a law is broken.",
       .example = name + " --matches 2000",
       .plays = fmt::format("{} {}", game.name, game.version)},
      flags};
  program.add_option("--matches", options.matches, "Matches at each of the rates 10, 60, 128, 240",
                     {.value = "N", .check = cli::between(1U, 1'000'000U)});
  program.add_option("--ticks", options.ticks, "Ticks of each match",
                     {.value = "N", .check = cli::between(1U, 1'000'000U)});
  program.add_option("--seats", options.seats, "Seats of each match",
                     {.value = "N", .check = cli::between(1U, 64U)});
  program.add_option(
      "--seed", options.first_seed, "Seed of the first match; the others count up from it",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);

  set_assert_handler(package::tell_place);
  const std::size_t matches = options.tick_rates.size() * std::size_t{options.matches};
  const auto broken = laws::check_laws(game, options);
  const cli::ExitCode code = broken ? cli::ExitCode::CheckFailed : cli::ExitCode::Done;
  if (broken) os::write_to_stderr(name + ": " + laws::to_text(game, *broken) + "\n");
  std::string result = package::hooks_text(game);
  if (flags.json) {
    result = package::document_of(game, matches, broken, code);
  } else if (!broken) {
    result += fmt::format("{} {} obeys the laws in {} matches\n", game.name, game.version, matches);
  }
  if (const auto written = os::write_to_stdout(result); !written) {
    return cli::to_int(cli::tell_failure({.name = name}, cli::ExitCode::Failed, written.error()));
  }
  return cli::to_int(code);
}
