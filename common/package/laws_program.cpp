// The program NAME-laws: the laws on random matches of one game.

#include "cli/command_line.h"
#include "cli/exit_code.h"
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

/// Returns which hooks the game has, in a line, and which not, in another.
std::string hooks_text(const GameTable& game) {
  const laws::HookNames hooks = laws::hooks_of(game);
  const auto line = [](const char* head, const std::vector<std::string_view>& names) {
    return names.empty() ? std::string{} : fmt::format("{}: {}\n", head, fmt::join(names, ", "));
  };
  return line("hooks", hooks.declared) + line("not declared", hooks.others);
}

std::string document_of(const GameTable& game, std::size_t matches,
                        const std::optional<laws::LawBroken>& broken, cli::ExitCode code) {
  using Json = nlohmann::ordered_json;
  const laws::HookNames hooks = laws::hooks_of(game);
  Json document{{"game", game.name},
                {"version", game.version},
                {"matches", matches},
                {"hooks", {{"declared", hooks.declared}, {"not_declared", hooks.others}}},
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
  laws::LawOptions options{.allocations = package::counter()};
  cli::Program program{
      {.name = name,
       .description = "Check on random matches what every game must obey, so that it replays, "
                      "replicates and never desyncs. Says which optional hooks the game has: one "
                      "with a misspelt name is never called. Exit 3 if a law is broken.",
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
