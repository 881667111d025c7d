// The program NAME-laws: the laws on random matches of one game. Its operators new and delete count
// allocations, for one of the laws.

#include "cli/command_line.h"
#include "cli/exit_code.h"
#include "core/assert.h"
#include "engine/identity.h"
#include "os/process/standard_output.h"
#include "package/laws/laws.h"
#include "tickbox/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tickbox::package {
namespace {

/// Returns the counter of the calls of operator new in this thread so far.
std::uint64_t& allocations() {
  thread_local std::uint64_t count = 0;
  return count;
}

/// Allocates, and counts it.
void* counted(std::size_t size, std::size_t alignment) {
  ++allocations();
  const std::size_t whole = (size + alignment) / alignment * alignment;
  if (void* const memory = std::aligned_alloc(alignment, whole)) return memory;
  throw std::bad_alloc{};
}

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

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::function<std::string(const laws::LawPlace&)> command_again;

void print_place(const char* condition, const char* file, int line) {
  print_failed_condition(condition, file, line);
  const laws::LawPlace& place = place_of_rules;
  if (place.tick_rate == 0) return;
  os::write_to_stderr(
      fmt::format("It failed{} at {} ticks per second, match {}, tick {}; again: {}\n",
                  place.map.empty() ? "" : fmt::format(" on map {}", place.map), place.tick_rate,
                  place.seed, place.tick.value, command_again(place)));
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

/// What the laws have found.
struct Findings {
  std::optional<laws::LawBroken> broken;
  std::vector<laws::MapCalls> calls;
};

std::uint64_t matches_of(const Findings& findings) {
  std::uint64_t matches = 0;
  for (const laws::MapCalls& map : findings.calls) {
    matches += map.matches;
  }
  return matches;
}

/// Returns the names of callbacks that no match has called.
std::vector<std::string> never_called(const GameTable& game, const Findings& findings) {
  std::vector<std::string> names;
  for (const laws::CallbackUse& use : laws::callbacks_of(game)) {
    const auto is_called = [&use](const laws::MapCalls& map) {
      return map.counts.of(use.which) > 0;
    };
    if (std::ranges::none_of(findings.calls, is_called)) names.push_back(use.name);
  }
  return names;
}

/// Returns a table of how often each callback was called, a column for each map.
std::string calls_text(const GameTable& game, const Findings& findings) {
  constexpr std::string_view kHead = "calls";
  const std::vector<laws::CallbackUse> uses = laws::callbacks_of(game);
  std::size_t width = kHead.size();
  for (const laws::CallbackUse& use : uses) {
    width = std::max(width, use.name.size());
  }
  std::string text{kHead};
  for (std::size_t i = 0; i < findings.calls.size() && !game.maps.empty(); ++i) {
    text += fmt::format("{:>{}}", findings.calls[i].map, i == 0 ? width + 13 - kHead.size() : 13);
  }
  text += '\n';
  for (const laws::CallbackUse& use : uses) {
    text += fmt::format("{:<{}}", use.name, width);
    for (const laws::MapCalls& map : findings.calls) {
      text += fmt::format("{:>13}", map.counts.of(use.which));
    }
    text += '\n';
  }
  return text;
}

using Json = nlohmann::ordered_json;

Json maps_of(const GameTable& game, const Findings& findings) {
  Json maps = Json::array();
  for (const laws::MapCalls& map : findings.calls) {
    Json calls = Json::object();
    for (const laws::CallbackUse& use : laws::callbacks_of(game)) {
      calls[use.name] = map.counts.of(use.which);
    }
    maps.push_back({{"map", map.map}, {"matches", map.matches}, {"calls", std::move(calls)}});
  }
  return maps;
}

std::string document_of(const GameTable& game, const Findings& findings, cli::ExitCode code) {
  const laws::HookNames hooks = laws::hooks_of(game);
  Json declared = Json::array();
  Json kinds = Json::object();
  for (const laws::HookUse& hook : hooks.declared) {
    declared.push_back(hook.name);
    if (!hook.kinds.empty()) kinds[std::string{hook.name}] = hook.kinds;
  }
  Json document{{"game", game.name},
                {"version", game.version},
                {"matches", matches_of(findings)},
                {"hooks",
                 {{"declared", std::move(declared)},
                  {"kinds", std::move(kinds)},
                  {"not_declared", hooks.others}}},
                {"maps", maps_of(game, findings)},
                {"never_called", never_called(game, findings)},
                {"broken", nullptr},
                {"exit", cli::to_int(code)}};
  if (findings.broken) {
    const laws::LawBroken& broken = *findings.broken;
    document["broken"] = {{"law", broken.law},
                          {"map", broken.place.map},
                          {"seed", broken.place.seed},
                          {"tick_rate", broken.place.tick_rate},
                          {"tick", broken.place.tick.value},
                          {"what", broken.what},
                          {"again", command_again(broken.place)}};
    document["error"] = laws::to_text(game, broken);
  }
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// Writes which law is broken, or which callbacks no law has seen.
void print_findings(const std::string& program, const GameTable& game, const Findings& findings) {
  if (findings.broken) {
    os::write_to_stderr(fmt::format("{}: {}\nagain: {}\n", program,
                                    laws::to_text(game, *findings.broken),
                                    command_again(findings.broken->place)));
    return;
  }
  for (const std::string& name : never_called(game, findings)) {
    os::write_to_stderr(
        fmt::format("{}: warning: {} was never called: no law has seen it\n", program, name));
  }
}

}  // namespace
}  // namespace tickbox::package

int tickbox::run_laws(int argc, char** argv, const GameTable& game) {
  const std::string name = cli::program_name(argc, argv, "laws");
  cli::CommonFlags flags;
  laws::LawOptions options{.allocations = package::counter(), .place = &package::place_of_rules};
  cli::Program program{
      {.name = name,
       .description = "Check on matches of each map what every game must obey, so that it replays, "
                      "replicates and never desyncs. The game's bots play every second match. Says "
                      "which optional hooks the game has, and for which kinds: one with a misspelt "
                      "name is missing there, and so is a kind for which it has other arguments. "
                      "Says how often each was called on each map, and warns of one that never "
                      "was. Exit 3 if a law is broken.",
       .example = name + " --matches 2000",
       .plays = fmt::format("{} {}", game.name, game.version)},
      flags};
  std::string map;
  const auto fault_of_map = [&game](const std::string& text) {
    const auto found = engine::find_map_name(game, text);
    return found ? std::string{} : found.error();
  };
  program.add_option("--map", map, "Play this map alone (default: every map of the game)",
                     {.value = "NAME", .check = {.fault = fault_of_map}});
  program.add_option("--matches", options.matches,
                     "Matches of each map at each of the rates 10, 60, 128, 240",
                     {.value = "N", .check = cli::between(1U, 1'000'000U)});
  program.add_option("--ticks", options.ticks, "Ticks of each match",
                     {.value = "N", .check = cli::between(1U, 1'000'000U)});
  program.add_option("--seats", options.seats, "Seats of each match",
                     {.value = "N", .check = cli::between(1U, 64U)});
  std::optional<std::uint32_t> rate;
  program.add_option(
      "--tick-rate", rate, "Play at this rate alone, in ticks per second",
      {.value = "N", .check = cli::between(engine::kTickRateMin, engine::kTickRateMax)});
  program.add_option(
      "--seed", options.first_seed,
      "Seed of the first match; the others count up from it. The bots play matches "
      "whose seed is even",
      {.check = cli::between(std::int64_t{0}, std::numeric_limits<std::int64_t>::max())});
  if (const auto exit_code = program.parse(argc, argv)) return cli::to_int(*exit_code);

  options.map = map;
  if (rate) options.tick_rates = {*rate};
  package::Findings findings;
  options.calls = &findings.calls;
  package::command_again = [&](const laws::LawPlace& place) {
    return name + " " + laws::options_of(place, options);
  };
  set_assert_handler(package::print_place);
  findings.broken = laws::check_laws(game, options);
  const cli::ExitCode code = findings.broken ? cli::ExitCode::CheckFailed : cli::ExitCode::Done;
  package::print_findings(name, game, findings);
  std::string result = package::hooks_text(game) + package::calls_text(game, findings);
  if (flags.json) {
    result = package::document_of(game, findings, code);
  } else if (!findings.broken) {
    const std::uint64_t matches = package::matches_of(findings);
    result += fmt::format("{} {} obeys the laws in {} {}\n", game.name, game.version, matches,
                          matches == 1 ? "match" : "matches");
  }
  if (const auto written = os::write_to_stdout(result); !written) {
    return cli::to_int(cli::report_failure({.name = name}, cli::ExitCode::Failed, written.error()));
  }
  return cli::to_int(code);
}

void* operator new(std::size_t size) {
  return tickbox::package::counted(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}

// The sanitizers replace this operator otherwise, and the deletes below do not match theirs.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  return tickbox::package::counted(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
